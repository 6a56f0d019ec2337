// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What the registry entries of lda and ldi share; not installed.

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/topics/lda.h"

namespace braid {

/// The parameters that both have, `chains` first, with its default.
std::vector<ParameterInfo> lda_parameters(double default_chains);
std::vector<ChoiceInfo> lda_choices();

/// From options with every parameter and choice filled in.
LdaOptions lda_options(const TopicOptions& options);
std::size_t lda_chains(const TopicOptions& options);

/// The topics of every chain, shares over all chains summing to 1.
std::vector<Topic> describe_chains(const std::vector<LdaModel>& models,
                                   const std::vector<std::string>& vocabulary, std::size_t words);

TopicTraining describe_training(const std::vector<LdaModel>& models, const LdaOptions& options);

/// A row a word: the rows of every chain's `part(model, word)`, one after the other.
template <typename Part>
FloatMatrix concatenate_rows(const std::vector<LdaModel>& models, const Part& part) {
    const std::size_t topics = models[0].word_given_topic.columns;
    FloatMatrix result(models[0].word_given_topic.rows, models.size() * topics);
    for (std::size_t w = 0; w < result.rows; ++w) {
        for (std::size_t c = 0; c < models.size(); ++c) {
            part(models[c], w, result.row(w).subspan(c * topics, topics));
        }
    }
    return result;
}

/// Folds in every document, several at a time.
FloatMatrix fold_documents(const TopicFolding& folding, const TopicModel& model,
                           const TermDocumentCounts& counts, Executor& executor);

}  // namespace braid

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

/// Fills in what both make alike of a model with a header but for the dimensions, vocabulary and
/// term vectors: documents are folded in; topics are those of every chain, their shares summing
/// to 1; the training is the chains'.
void finish_model(TopicModel& model, const std::vector<LdaModel>& chains,
                  const TermDocumentCounts& counts, const TopicOptions& options,
                  Executor& executor);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Shared by the registry entries of lda and ldi.

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/topics/lda.h"

namespace braid {

/// The parameters of both, `chains` first, with its default.
std::vector<ParameterInfo> lda_parameters(double default_chains);
std::vector<ChoiceInfo> lda_choices();

/// Expects options with every parameter and choice filled in. `counts` decide the sweeps if these
/// are 0, automatic: docs/algorithms/lda.md (13).
LdaOptions lda_options(const TopicOptions& options, const TermDocumentCounts& counts);
std::size_t lda_chains(const TopicOptions& options);

/// A row a word: the rows of `part(model, word)` of every chain, one after the other.
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

/// Fills in the parts that both models share; `model` has a header (without dimensions), vocabulary
/// and term vectors. Folds in the documents, describes the topics of every chain, with shares that
/// sum to 1, and records the chains' training.
void finish_model(TopicModel& model, const std::vector<LdaModel>& chains,
                  const TermDocumentCounts& counts, const TopicOptions& options,
                  Executor& executor);

}  // namespace braid

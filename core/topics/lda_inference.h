// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "braid/core/topics/lda_sampler.h"
#include "braid/core/topics/topic_model.h"
#include "braid/error.h"

namespace braid {

// Learning the Dirichlet parameters from a state of the chain.

/// A few steps of Minka's fixed point for the asymmetric alpha (docs/algorithms/lda.md (8)). A
/// topic without tokens keeps a small alpha, so it can return.
void learn_alpha(const LdaSampler& sampler, LdaPriors& priors);

/// The same for the symmetric eta (9).
void learn_eta(const LdaSampler& sampler, LdaPriors& priors);

struct LdaInferenceOptions {
    std::size_t iterations = 100;
    double tolerance = 1e-4;  ///< Stops when p(z|d) changes by less, summed over topics.
};

/// Writes p(z|d) of a text to `result`: the unique maximum of docs/algorithms/lda.md (10) for fixed
/// p(w|z), by fixed-point iteration. `terms` hold p(w|z) of all topics; all-zero ones are skipped.
/// A text without terms gets the prior, alpha / sum(alpha). Uses no random numbers: the same text
/// gives the same bits. O(terms x topics) an iteration.
void infer_topics(std::span<const FoldingTerm> terms, std::span<const float> alpha,
                  const LdaInferenceOptions& options, std::span<float> result);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/random.h"
#include "braid/core/topics/lda_inference.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"

namespace braid {

// Documents kept from a fit, to measure it by.

/// One collection in two. Both have the words that `training` has, and no others: a word that the
/// model never saw tells nothing about it.
struct HeldOutDocuments {
    TermDocumentCounts training;
    TermDocumentCounts held_out;
};

struct HoldOutOptions {
    double share = 0.1;       ///< Of the documents that can be measured, in (0, 1).
    std::size_t most = 1000;  ///< Documents held out at most.
    std::size_t least = 20;   ///< Documents to choose from, at least.
    std::uint64_t seed = 0;
};

/// Holds out documents drawn at random from those of two tokens or more (counts rounded), in their
/// order. Empty on both sides where there are fewer than options.least of these.
BRAID_API HeldOutDocuments hold_out_documents(const TermDocumentCounts& counts,
                                              const HoldOutOptions& options);

struct HeldOutScore {
    double perplexity = 0;      ///< exp(-log_likelihood / tokens); 0 where there are no tokens.
    double log_likelihood = 0;  ///< Of the completed tokens, natural logarithm.
    std::uint64_t tokens = 0;   ///< How many were completed.
};

/// How well a topic model predicts documents that it has not seen, by document completion: from a
/// random half of each document's tokens p(z|d) is inferred, and the other half is scored by
/// sum_z p(z|d) p(w|z) (docs/algorithms/lda.md (11)). Any tool's model can be scored:
/// `word_given_topic` has a row a word of `held_out`'s vocabulary and a column a topic, every
/// column summing to 1. The same bits at any number of threads. Throws InvalidArgument where sizes
/// don't agree.
BRAID_API HeldOutScore document_completion(const FloatMatrix& word_given_topic,
                                           std::span<const float> alpha,
                                           const TermDocumentCounts& held_out, Executor& executor,
                                           std::uint64_t seed = kDefaultSeed,
                                           const LdaInferenceOptions& options = {});

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "braid/core/base/random.h"
#include "braid/core/topics/lda.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

// Documents held out of a fit, to measure it by.

/// A collection split in two. Both parts have the vocabulary of `training`: words that the model
/// never saw can't measure it.
struct HeldOutDocuments {
    TermDocumentCounts training;
    TermDocumentCounts held_out;
};

struct HoldOutOptions {
    double share = 0.1;       ///< Share of the measurable documents, in (0, 1).
    std::size_t most = 1000;  ///< Maximum of documents held out.
    std::size_t least = 20;   ///< Minimum of measurable documents.
    std::uint64_t seed = 0;
};

/// Holds out documents drawn at random from those of two tokens or more (counts rounded), keeping
/// their order. Both parts are empty for fewer than options.least of these.
HeldOutDocuments hold_out_documents(const TermDocumentCounts& counts,
                                    const HoldOutOptions& options);

struct HeldOutScore {
    double perplexity = 0;      ///< exp(-log_likelihood / tokens); 0 without tokens.
    double log_likelihood = 0;  ///< Natural logarithm, of the completed tokens.
    std::uint64_t tokens = 0;   ///< Number of completed tokens.
};

/// How well a topic model predicts unseen documents, by document completion: p(z|d) is inferred
/// from a random half of each document's tokens, and the other half is scored by sum_z p(z|d)
/// p(w|z) (docs/algorithms/lda.md (11)). Works for a model of any tool: `word_given_topic` has a
/// row for each word of `held_out`'s vocabulary and a column a topic; each column sums to 1. The
/// same bits at any number of threads. Throws InvalidArgument for sizes that don't match.
HeldOutScore document_completion(const FloatMatrix& word_given_topic, std::span<const float> alpha,
                                 const TermDocumentCounts& held_out, Executor& executor,
                                 std::uint64_t seed = kDefaultSeed,
                                 const LdaInferenceOptions& options = {});

}  // namespace braid

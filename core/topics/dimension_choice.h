// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/topics.h"

namespace braid {

// How well a model recognises one half of a document by the other.

/// docs/algorithms/dimensions.md (3): the tokens of each document are split at random into two
/// halves, both are folded in, and each half ranks the halves of all documents by cosine to find
/// its other half. A half without terms is left out, and so is its other half.
///
/// `dimensions` are ascending, at most model.header.dimensions; each is tried as the model's first
/// so many dimensions. Returns, for each of them, every document's mean of its two reciprocal
/// ranks, in document order. A document ranks below all others of equal score. `documents` has the
/// vocabulary of `model`. O(documents^2 dimensions). The same bits at any number of threads.
std::vector<std::vector<double>> split_half_reciprocal_ranks(
    const TopicModel& model, const TermDocumentCounts& documents,
    const std::vector<std::size_t>& dimensions, std::uint64_t seed, Executor& executor);

/// (4): the first candidate whose mean is within one standard error of the highest mean. `scores`
/// has at least one candidate, each with scores of the same documents. Without documents, the first
/// candidate.
std::size_t smallest_within_one_error(const std::vector<std::vector<double>>& scores);

struct DimensionChoice {
    std::size_t dimensions = 0;          ///< For TopicOptions::dimensions.
    std::vector<DimensionTrial> trials;  ///< Ascending by dimensions; empty: see below.
};

/// Chooses a model's number of dimensions without judgements, by documents that it is not fitted
/// to; docs/algorithms/dimensions.md. For lda, ldi and plsi: the highest likelihood of held-out
/// words. For lsa: the smallest number whose score for finding one half of a document by the other
/// is within one standard error of the highest.
///
/// `base` holds the options for the final fit; its `dimensions` are ignored. `candidates` may be in
/// any order; empty: 25, 50, 100, 200 and 400. Candidates above what the documents and words
/// support are lowered to that (or dropped if `candidates` is empty). With fewer than 20 documents
/// of two words or more, nothing can be measured: the choice is the smallest candidate, without
/// trials.
///
/// Costs one fit a candidate (lda and ldi: one chain and at most 100 sweeps); for lsa one fit. The
/// same bits at any number of threads. Throws what fit_topic_model() throws, and InvalidArgument
/// for a candidate 0 or a model without a score.
BRAID_API DimensionChoice choose_dimensions(const std::string& model,
                                            const TermDocumentCounts& counts,
                                            const TopicOptions& base,
                                            const std::vector<std::size_t>& candidates,
                                            Executor& executor, const Progress& progress = {});

struct JudgedChoice {
    std::size_t best = 0;  ///< The candidate with the highest mean over all queries.
    double best_mean = 0;  ///< Its mean: biased upwards, since the same queries chose it.
    double cross_validated_mean = 0;  ///< Each query is measured by others' choice.
};

/// Chooses by judgements: `measure` has a row a candidate and a column a query; higher is better.
/// For the cross-validated mean, each query is measured with the candidate that is best on the
/// queries of the other folds. Ties go to the first. Throws InvalidArgument for no candidates, a
/// value that is not finite, fewer than 2 folds, or more folds than queries.
BRAID_API JudgedChoice choose_by_judgements(const FloatMatrix& measure, std::size_t folds = 5,
                                            std::uint64_t seed = kDefaultSeed);

}  // namespace braid

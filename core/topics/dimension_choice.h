// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/random.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"

namespace braid {

// How well a model recognises the other half of a text.

/// docs/algorithms/dimensions.md (3): the tokens of each document are dealt at random to two
/// halves, both are folded in, and each half looks for its other half among the halves of all
/// documents, by cosine. A half without terms takes no part, nor does its other half.
///
/// `dimensions` are ascending, to model.header.dimensions: each is tried as the model that has
/// the first so many dimensions only. Returns, for each of them, a document's mean of its two
/// reciprocal ranks, in the order of documents that take part. Ties count as found before.
/// `documents` has the vocabulary of `model`. O(documents^2 dimensions). The same bits at any
/// number of threads.
BRAID_API std::vector<std::vector<double>> split_half_reciprocal_ranks(
    const TopicModel& model, const TermDocumentCounts& documents,
    const std::vector<std::size_t>& dimensions, std::uint64_t seed, Executor& executor);

/// (4): the first candidate whose mean is within one standard error of the highest mean; `scores`
/// has for each candidate, of which there is one at least, the same documents' scores. Without
/// documents the first.
BRAID_API std::size_t smallest_within_one_error(const std::vector<std::vector<double>>& scores);

/// One number of dimensions that was tried, and how good it is.
struct DimensionTrial {
    std::size_t dimensions = 0;
    double score = 0;       ///< Higher is better.
    std::string criterion;  ///< What the score is: "log likelihood of held-out words".

    bool operator==(const DimensionTrial&) const = default;
};

struct DimensionChoice {
    std::size_t dimensions = 0;          ///< What TopicOptions::dimensions is to be.
    std::vector<DimensionTrial> trials;  ///< Ascending by dimensions; empty: see below.
};

/// Chooses a model's number of dimensions without judgements, by documents that it is not fitted
/// to, as docs/algorithms/dimensions.md describes: lda, ldi and plsi by the likelihood of held-out
/// words, the highest score; lsa by finding one half of a document with the other, the smallest
/// number whose score is within one standard error of the highest.
///
/// `base` is what the model will be fitted with; its `dimensions` are not looked at. `candidates`
/// may be in any order; empty stands for 25, 50, 100, 200 and 400. Those above what the documents
/// and words support are lowered to that (or left out, where `candidates` is empty). With fewer
/// than 20 documents of two words or more there is nothing to measure by: the choice is then
/// the smallest candidate, without trials.
///
/// Costs one fit a candidate (lda and ldi: of one chain and at most 100 sweeps), or a single one
/// for lsa. The same bits at any number of threads. Throws what fit_topic_model() throws, and
/// InvalidArgument for a candidate 0 or a model that there is no way to score.
BRAID_API DimensionChoice choose_dimensions(const std::string& model,
                                            const TermDocumentCounts& counts,
                                            const TopicOptions& base,
                                            const std::vector<std::size_t>& candidates,
                                            Executor& executor, const Progress& progress = {});

struct JudgedChoice {
    std::size_t best = 0;             ///< The candidate of the highest mean over all queries.
    double best_mean = 0;             ///< Its mean: flattered, as the queries chose it.
    double cross_validated_mean = 0;  ///< Where queries don't take part in choosing for themselves.
};

/// Chooses by judgements: `measure` has a row a candidate and a column a query, higher is better.
/// For the cross-validated mean each query counts with the candidate that is best on the queries
/// of the other folds. Ties go to the first. Throws InvalidArgument where there are no candidates,
/// a value is not finite, or there are fewer than 2 folds or more than queries.
BRAID_API JudgedChoice choose_by_judgements(const FloatMatrix& measure, std::size_t folds = 5,
                                            std::uint64_t seed = kDefaultSeed);

}  // namespace braid

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
#include "braid/core/topics/dimension_trial.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/core/topics/topic_models.h"

namespace braid {

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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/attention.h"
#include "braid/core/model/forest.h"
#include "braid/core/model/method_function.h"
#include "braid/core/model/semi_supervised.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// One weight a ranker, the same for every query: a document's score is the weighted sum of its
/// rankers' scores. Weights may be negative where the learner's info says so.
struct LinearFunction {
    std::vector<double> weights;

    bool operator==(const LinearFunction&) const = default;
};

/// A sum of steps, each of one ranker's score: it is added where the score is above the threshold.
/// Sorted by ranker and threshold, each pair once. A ranker whose rises are all of one sign has a
/// monotone part in the score.
struct StepFunction {
    std::size_t width = 0;  ///< How many rankers the function is for.
    std::vector<std::size_t> rankers = {};
    std::vector<double> thresholds = {};
    std::vector<double> rises = {};

    bool operator==(const StepFunction&) const = default;
};

/// Several linear functions that vote: each gives a document one point for every document of the
/// pool that it puts below, half a point for every other it puts level; points are added up. A
/// document's score depends on the whole pool.
struct BordaFunction {
    std::vector<std::vector<double>> functions;  ///< Weights, one a ranker, as a LinearFunction's.

    bool operator==(const BordaFunction&) const = default;
};

/// What a learner learned, or a fusion method needs no learner for: how the rankers' scores of one
/// document become one score. A new form (weights that follow from query features; step functions
/// and trees of single rankers' scores) is a struct of plain numbers beside LinearFunction, another
/// alternative here, and another overload in ranking_function.cpp; nothing else looks inside.
using RankingFunction = std::variant<LinearFunction, AttentionFunction, StepFunction, BordaFunction,
                                     SemiSupervisedFunction, ForestFunction, MethodFunction>;

/// Whether it reads TrainingSet::places.
BRAID_API bool needs_places(const RankingFunction& function);

/// The scores of one query's pool, into `scores` (one a document). Sums run over the rankers in
/// order. Throws InvalidArgument where the function is for another number of rankers, and where a
/// score is not finite (naming document and query).
BRAID_API void score_pool(const RankingFunction& function, const TrainingSet& set,
                          std::size_t query, std::span<double> scores);

/// How the scores of a pool come about, ranker by ranker.
struct ScoreParts {
    std::vector<double>
        weights;  ///< One a ranker, for this query; empty where scores aren't weighed.
    std::vector<double>
        added;  ///< Rows x rankers: what each adds; empty where scores are no such sums.
};

/// For explanations. Throws as `score_pool` does.
BRAID_API ScoreParts score_parts(const RankingFunction& function, const TrainingSet& set,
                                 std::size_t query);

/// The steps of a function in their order, equal ones made one, and scaled to magnitudes that sum
/// to 1 (all zero stays).
BRAID_API StepFunction tidy(const StepFunction& function);

/// Row by row x . weights, with `weights.size()` columns.
BRAID_API void weighted_sums(std::span<const double> rows, std::span<const double> weights,
                             std::span<double> sums);

/// Divides by the sum of magnitudes; all zero stays as it is.
BRAID_API void scale_to_sum_one(std::span<double> weights);

/// A single ranker's part in the score, for reports: |weight| times the mean over queries of the
/// standard deviation of its scores, scaled to sum 1. A weight alone may only make up for a
/// ranker's scale.
BRAID_API std::vector<double> shares(const LinearFunction& function, const TrainingSet& set);

}  // namespace braid

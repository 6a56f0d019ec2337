// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "braid/core/model/attention.h"
#include "braid/core/model/forest.h"
#include "braid/core/model/method_function.h"
#include "braid/core/model/semi_supervised.h"
#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

/// One weight a ranker, the same for every query: a document's score is the weighted sum of its
/// rankers' scores. Weights may be negative if the learner's info says so.
struct LinearFunction {
    std::vector<double> weights;

    bool operator==(const LinearFunction&) const = default;
};

/// A sum of steps. Each step adds its rise if its ranker's score exceeds its threshold. Sorted by
/// ranker and threshold, each pair once. A ranker whose rises have one sign adds a monotone part.
struct StepFunction {
    std::size_t width = 0;  ///< Number of rankers.
    std::vector<std::size_t> rankers = {};
    std::vector<double> thresholds = {};
    std::vector<double> rises = {};

    bool operator==(const StepFunction&) const = default;
};

/// Linear functions that vote: each gives a document one point for every document of the pool that
/// it ranks lower and half a point for every tie. Points are summed, so a document's score depends
/// on the whole pool.
struct BordaFunction {
    std::vector<std::vector<double>> functions;  ///< Each like LinearFunction::weights.

    bool operator==(const BordaFunction&) const = default;
};

/// How the rankers' scores of one document become one score: learned, or a fusion method. A new
/// form is a struct of plain numbers beside LinearFunction, an alternative here and an overload in
/// ranking_function.cpp; no other code depends on which form it is.
using RankingFunction = std::variant<LinearFunction, AttentionFunction, StepFunction, BordaFunction,
                                     SemiSupervisedFunction, ForestFunction, MethodFunction>;

/// Whether it reads TrainingSet::places.
BRAID_API bool needs_places(const RankingFunction& function);

/// A function made ready for many pools: trees and steps are laid out once. Immutable, so threads
/// may share it. Borrows the function.
class BRAID_API PreparedFunction {
  public:
    /// A forest must be valid.
    explicit PreparedFunction(const RankingFunction& function);

    /// As `score_pool`.
    void score(const TrainingSet& set, std::size_t query, std::span<double> scores) const;

  private:
    const RankingFunction& function_;
    std::optional<FlatForest> trees_;  ///< For forests and steps.
    std::vector<double> linear_;       ///< For a forest that compares standardised scores.
    bool standardised_ = false;
};

/// Writes the scores of one query's pool to `scores`, one a document. Sums run over the rankers in
/// order. Throws InvalidArgument for another number of rankers, and for a score that is not finite,
/// naming document and query.
void score_pool(const RankingFunction& function, const TrainingSet& set, std::size_t query,
                std::span<double> scores);

/// How each ranker contributes to the scores of a pool.
struct ScoreParts {
    std::vector<double> weights;  ///< One a ranker, for this query; empty: unweighted.
    std::vector<double> added;    ///< Rows x rankers: what each adds; empty if scores are not sums.
};

/// For explanations. Throws as `score_pool` does.
BRAID_API ScoreParts score_parts(const RankingFunction& function, const TrainingSet& set,
                                 std::size_t query);

/// The set with each query's scores standardised.
TrainingSet standardised(TrainingSet set);

/// The same sum as trees, one a ranker that has steps. The function must be sorted, as `tidy` does.
ForestFunction trees_of(const StepFunction& function);

/// The trees that score as `function` does; none for a form that isn't made of trees or steps.
std::optional<ForestFunction> as_trees(const RankingFunction& function);

/// The function with its steps sorted and equal ones merged, scaled to magnitudes of sum 1; all
/// zero stays unchanged.
StepFunction tidy(const StepFunction& function);

/// The dot product of each row with `weights`; rows have `weights.size()` columns.
void weighted_sums(std::span<const double> rows, std::span<const double> weights,
                   std::span<double> sums);

/// Divides by the sum of magnitudes; all zero stays unchanged.
void scale_to_sum_one(std::span<double> weights);

/// Each ranker's share of the score, for reports: |weight| times the mean over queries of the
/// standard deviation of its scores, scaled to sum 1. The weight alone would also reflect the
/// ranker's scale.
std::vector<double> shares(const LinearFunction& function, const TrainingSet& set);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/core/learn/learner.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

struct SmoothOptions {
    /// The measure to smooth. kGradedMap is the mean of MAP over every grade as the lowest relevant
    /// one; kNdcg has the grade as gain and no cut-off.
    enum class Aim { kMap, kGradedMap, kNdcg };

    Aim aim = Aim::kMap;
    double beta = 200;  ///< Sharpness of the sigmoid (the paper's choice).
    /// Pairs whose scores differ by more than window / beta have no derivative; 0: all have one.
    /// The paper's is 2, which drops a sixth to a third of the gradient.
    double window = 0;
};

/// A smooth value and the requested derivatives.
struct SmoothPoint {
    double value = 0;
    std::vector<double> gradient;  ///< One a ranker.
    std::vector<double> hessian;   ///< Row-major and symmetric, or empty.
};

/// A measure of rankings in which a document's position is replaced by 1 + the sum over all others
/// of a sigmoid of beta times the difference of scores. It is differentiable in the weights except
/// where two relevant documents swap. docs/algorithms/smooth-measures.md, problem (3). Borrows the
/// set. Reading is safe from several threads.
class SmoothMeasure {
  public:
    SmoothMeasure(const TrainingSet& set, const SmoothOptions& options,
                  const MeasureOptions& judging = {});

    /// As if the set had `grades` (one a row) and no judgements outside the pools.
    SmoothMeasure(const TrainingSet& set, std::span<const Grade> grades,
                  const SmoothOptions& options);

    const TrainingSet& set() const { return set_; }
    const SmoothOptions& options() const { return options_; }
    void set_beta(double beta) { options_.beta = beta; }
    std::string name() const;  ///< "smooth map"

    /// The queries in means: those with a relevant document in the pool; ascending.
    const std::vector<std::size_t>& queries() const { return queries_; }

    /// Restricts means to these of `queries()`; ascending.
    void restrict_to(std::vector<std::size_t> queries) { queries_ = std::move(queries); }

    /// Means, the same bits at any number of threads. Weights are not scaled: their length times
    /// beta is the sharpness.
    double value(std::span<const double> weights, Executor& executor) const;
    SmoothPoint with_gradient(std::span<const double> weights, Executor& executor) const;
    SmoothPoint with_hessian(std::span<const double> weights, Executor& executor) const;

    /// One query's value and gradient.
    SmoothPoint of_query(std::size_t query, std::span<const double> weights) const;

    /// The smooth positions of a query's relevant documents, in the order of its rows.
    std::vector<double> positions(std::size_t query, std::span<const double> weights) const;

  private:
    friend class SmoothQuery;
    struct Level {
        Grade from = 0;
        double share = 0;  // One relevant document's share of the value.
    };
    struct Query {
        std::vector<std::uint32_t> targets;  // Relevant rows of the pool.
        std::vector<Grade> grades;           // One a target.
        std::vector<Level> levels;           // Thresholds of relevance, for average precisions.
        std::vector<double> gains;           // One a target over the ideal sum, for kNdcg.
    };
    void check_options() const;
    void add_query(std::size_t query, std::span<const Grade> pool, std::vector<Grade> relevant,
                   Grade relevant_from);
    SmoothPoint mean(std::span<const double> weights, int order, Executor& executor) const;

    const TrainingSet& set_;
    SmoothOptions options_;
    std::vector<std::size_t> queries_;
    std::vector<Query> prepared_;  // One a query of the set.
};

// The parameters and choices of the learners that maximise a smooth measure.

/// "beta" and "window".
std::vector<ParameterInfo> smooth_parameters();

/// "aim": map, graded-map, ndcg.
ChoiceInfo aim_choice();

/// The weights' Euclidean length, the unit of steps.
double length(std::span<const double> weights);

/// Expects options with everything filled in.
SmoothOptions smooth_options(const LearnerOptions& options);

}  // namespace braid

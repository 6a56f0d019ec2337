// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/eval/measure.h"
#include "braid/core/learn/learner.h"
#include "braid/core/pool/training_set.h"

namespace braid {

struct SmoothOptions {
    /// Which measure is made smooth. kGradedMap is the mean of MAP over every grade taken as the
    /// least relevant one; kNdcg has the grade as gain and no cut-off.
    enum class Aim { kMap, kGradedMap, kNdcg };

    Aim aim = Aim::kMap;
    double beta = 200;  ///< Sharpness of the sigmoid (the paper's choice).
    /// Pairs whose scores are further apart than window / beta have no derivative; 0: all have
    /// theirs. The paper's is 2; it drops a sixth to a third of the gradient.
    double window = 0;
    /// kPairs and kSeries agree to 1e-12; kQuicker takes the one that costs less for a query. A
    /// window, and scores over 16,000 / beta apart, are for kPairs whatever is asked.
    enum class Method { kQuicker, kPairs, kSeries };
    Method method = Method::kQuicker;
};

/// A smooth value and what was asked of its derivatives.
struct SmoothPoint {
    double value = 0;
    std::vector<double> gradient;  ///< One a ranker.
    std::vector<double> hessian;   ///< Row-major and symmetric, or empty.
};

/// A measure of rankings in which a document's position is replaced by 1 + the sum over all
/// others of a sigmoid of beta times the difference of scores: differentiable in the weights but
/// where two relevant documents swap. docs/algorithms/smooth-measures.md, problem (3). Borrows
/// the set. Reading is safe from several threads.
class BRAID_API SmoothMeasure {
  public:
    SmoothMeasure(const TrainingSet& set, const SmoothOptions& options,
                  const MeasureOptions& judging = {});

    /// As if the set had `grades` (one a row) and nothing was judged outside the pools.
    SmoothMeasure(const TrainingSet& set, std::span<const Grade> grades,
                  const SmoothOptions& options);

    const TrainingSet& set() const { return set_; }
    const SmoothOptions& options() const { return options_; }
    void set_beta(double beta) { options_.beta = beta; }
    std::string name() const;  ///< "smooth map"

    /// Means are over the queries with a relevant document in the pool; ascending.
    const std::vector<std::size_t>& queries() const { return queries_; }

    /// Takes means over these of `queries()` only; ascending.
    void restrict_to(std::vector<std::size_t> queries) { queries_ = std::move(queries); }

    /// Means, the same bits at any number of threads. Weights are as they are, not scaled: their
    /// size times beta is the sharpness.
    double value(std::span<const double> weights, Executor& executor) const;
    SmoothPoint with_gradient(std::span<const double> weights, Executor& executor) const;
    SmoothPoint with_hessian(std::span<const double> weights, Executor& executor) const;

    /// One query's value and gradient.
    SmoothPoint of_query(std::size_t query, std::span<const double> weights) const;

    /// For the relevant documents of a query, in the order of its rows, the smooth positions.
    std::vector<double> positions(std::size_t query, std::span<const double> weights) const;

  private:
    friend class SmoothQuery;
    struct Level {
        Grade from = 0;
        double share = 0;  // Of one relevant document in the value.
    };
    struct Query {
        std::vector<std::uint32_t> targets;  // Relevant rows of the pool.
        std::vector<Grade> grades;           // One a target.
        std::vector<Level> levels;           // What counts as relevant, for average precisions.
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

// The parameters and choices of the learners that climb a smooth measure.

/// "beta" and "window".
std::vector<ParameterInfo> smooth_parameters();

/// "aim": map, graded-map, ndcg.
ChoiceInfo aim_choice();

/// The weights' Euclidean length: steps are measured by it.
double length(std::span<const double> weights);

/// From options with everything filled in.
SmoothOptions smooth_options(const LearnerOptions& options);

}  // namespace braid

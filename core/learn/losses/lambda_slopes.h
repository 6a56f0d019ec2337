// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Gradients of LambdaRank for any measure. docs/algorithms/trees.md section 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/training_measure.h"
#include "braid/progress.h"

namespace braid {

/// Gradient and curvature of the loss by a row's sum, the curvature from 0 up.
struct RowSlope {
    double gradient = 0;
    double curvature = 0;
};

struct LambdaOptions {
    bool even = true;  ///< Queries of many pairs count no more than others.
};

/// Borrows the measure. Reading is safe from several threads.
class LambdaSlopes {
  public:
    LambdaSlopes(const TrainingMeasure& measure, const LambdaOptions& options);

    /// Writes a slope for each row, 0 in queries that the measure leaves out, by each row's sum.
    /// The result is the mean of the measure. The same bits at any number of threads.
    double of_sums(std::span<const double> sums, std::span<RowSlope> slopes,
                   Executor& executor) const;

    /// One query's, which is also its part of `of_sums`. The result is its measure.
    double of_query(std::size_t query, std::span<const double> sums,
                    std::span<RowSlope> slopes) const;

  private:
    const TrainingMeasure& measure_;
    LambdaOptions options_;
};

/// What the measure of the query changes by if the documents at two ranks, from 0, swap, by the
/// formulas for its kind; for tests. `ranked`: the grades in ranked order.
double swap_gain(const TrainingMeasure& measure, std::size_t query, std::span<const Grade> ranked,
                 std::size_t a, std::size_t b);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The exact maximum of a measure along a line of weights. docs/algorithms/coordinate.md.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// The point on the line where the objective is largest.
struct LineMaximum {
    double at = 0;
    double value = 0;  ///< By the sweep; rounding makes it differ from a fresh evaluation.
};

struct LineSearchOptions {
    double l2 = 0;                ///< As distance_penalty, of the weights scaled to sum 1.
    bool allow_negative = false;  ///< Otherwise the line ends before a weight is negative.
    /// Values up to this are of no interest: if no value is better, the result may be any value up
    /// to it, even -infinity.
    double worth = -std::numeric_limits<double>::infinity();
    /// Empty, or weighted_sums of all rows of the set if the caller has them; rows of queries not
    /// searched may have any value.
    std::span<const double> scores = {};
    std::size_t steps_at_once = 1 << 20;  ///< Roughly bounds memory.
    /// Up to this many crossings (and steps_at_once), sorts all and prunes none.
    std::size_t few_steps = 1 << 14;
};

/// Searches weights + t direction over all intervals of t on which the rankings of `queries` stay
/// the same, for the largest mean measure less the penalty at the interval's middle. Returns the
/// middle of the widest best interval. Exact up to rounding. The same bits at any number of
/// threads.
LineMaximum search_line(const TrainingMeasure& measure, std::span<const std::size_t> queries,
                        std::span<const double> weights, std::span<const double> direction,
                        const LineSearchOptions& options, Executor& executor);

}  // namespace braid

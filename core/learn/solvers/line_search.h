// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The exact maximum of a measure along a line of weights; not installed.
// docs/algorithms/coordinate.md.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

/// The place on the line where the objective is largest.
struct LineMaximum {
    double at = 0;
    double value = 0;  ///< By the sweep; rounding makes it differ from a fresh evaluation.
};

struct LineSearchOptions {
    double l2 = 0;                ///< As distance_penalty, of the weights scaled to sum 1.
    bool allow_negative = false;  ///< Otherwise the line ends where a weight would become negative.
    /// Values up to this are of no interest: where there is nothing better the result may be
    /// anything that is not, -infinity among it.
    double worth = -std::numeric_limits<double>::infinity();
    /// Empty, or weighted_sums of all rows of the set, for a caller who has them; of rows of other
    /// queries than those asked for anything.
    std::span<const double> scores = {};
    std::size_t steps_at_once = 1 << 20;  ///< What memory is for, more or less.
    /// Up to so many crossings (and steps_at_once) all are put in order and none left out.
    std::size_t few_steps = 1 << 14;
};

/// Looks along weights + t direction at every interval of t on which all rankings of `queries`
/// stay the same, and of those where the mean measure, less the penalty in their middle, is
/// largest returns the widest's middle. Exact up to rounding. The same bits at any number of
/// threads.
BRAID_API LineMaximum search_line(const TrainingMeasure& measure,
                                  std::span<const std::size_t> queries,
                                  std::span<const double> weights,
                                  std::span<const double> direction,
                                  const LineSearchOptions& options, Executor& executor);

}  // namespace braid

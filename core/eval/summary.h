// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/evaluate.h"

namespace braid {

/// The arithmetic mean, with compensated summation: the order of the values changes at most its
/// last bit. Throws InvalidArgument for no values.
double mean(std::span<const double> values);

/// The sample standard deviation (divisor n - 1), in two passes. 0 for a single value; throws
/// InvalidArgument for no values.
double standard_deviation(std::span<const double> values);

/// Student's interval for the mean, significance.md (8); `confidence` in (0, 1). A single value
/// gives (-infinity, infinity). Throws InvalidArgument for no values.
ConfidenceInterval mean_interval(std::span<const double> values, double confidence = 0.95);

/// Cohen's d of paired differences, significance.md (9): their mean in standard deviations. 0 if
/// all are 0; infinite if all are equal but not 0. Throws InvalidArgument for no values.
double effect_size(std::span<const double> differences);

/// Holm's step-down correction, significance.md (7): adjusts p values, in the order given.
/// Rejecting those below a level makes any false rejection at most that probable. At most 1, never
/// below the p value itself. Throws InvalidArgument for a p outside [0, 1].
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// What known items say of a ranking in place of another.
struct KnownItemFinding {
    double mean = 0;              ///< Mean reciprocal ranks.
    double before = 0;            ///< The same of the other ranking.
    double difference = 0;        ///< mean - before.
    ConfidenceInterval interval;  ///< 95 % interval of the difference.
    double p = 1;                 ///< Of a paired t test.
    /// Whether it loses nothing: the interval begins at -.005 or above.
    bool is_safe = false;
};
inline constexpr double kMostKnownItemLoss = 0.005;

/// Both by item. Throws InvalidArgument for lists of different lengths, or empty ones.
BRAID_API KnownItemFinding compare_known_items(std::span<const double> ranks,
                                               std::span<const double> before);

}  // namespace braid

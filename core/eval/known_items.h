// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "braid/error.h"
#include "braid/evaluate.h"

namespace braid {

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

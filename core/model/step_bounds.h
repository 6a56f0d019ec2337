// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/model/ranking_function.h"

namespace braid {

/// What is known of a sum of steps before any document is scored.
struct StepBounds {
    std::size_t rising = 0;   ///< Rankers whose part never falls as their score grows.
    std::size_t falling = 0;  ///< Those whose part never rises.
    std::size_t mixed = 0;    ///< Those whose part does both. Rankers without a step are in none.
    double least = 0;         ///< What scores are between, whatever the rankers' are.
    double most = 0;
};

/// The function is sorted, as `tidy` leaves it. O(steps).
BRAID_API StepBounds step_bounds(const StepFunction& function);

/// The most a document gets whose rankers' scores are at most `scores`, one a ranker: the bound a
/// search may stop by. For rankers that rise it is their part at that score. O(steps).
BRAID_API double step_bound(const StepFunction& function, std::span<const double> scores);

/// In a few words, for explanations: "3 rankers rise, 1 falls, 2 do both; from -0.25 to 0.75".
BRAID_API std::string in_words(const StepBounds& bounds);

}  // namespace braid

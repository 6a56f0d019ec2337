// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "braid/core/base/export.h"
#include "braid/core/model/ranking_function.h"

namespace braid {

/// Bounds of a sum of steps, known before any document is scored.
struct StepBounds {
    std::size_t rising = 0;   ///< Rankers whose part never falls as their score grows.
    std::size_t falling = 0;  ///< Rankers whose part never rises.
    std::size_t mixed = 0;    ///< Rankers whose part does both. (Rankers without steps: none.)
    double least = 0;         ///< Bounds of the score for any rankers' scores.
    double most = 0;
};

/// The function must be sorted, as `tidy` does. O(steps).
BRAID_API StepBounds step_bounds(const StepFunction& function);

/// The highest score of a document whose rankers' scores are at most `scores`, one a ranker: a
/// bound for pruning. A rising ranker contributes its part at that score. O(steps).
BRAID_API double step_bound(const StepFunction& function, std::span<const double> scores);

/// For explanations: "3 rankers rise, 1 falls, 2 do both; from -0.25 to 0.75".
BRAID_API std::string in_words(const StepBounds& bounds);

}  // namespace braid

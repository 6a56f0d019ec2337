// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "braid/core/learn/learner.h"

namespace braid {

/// Newton's method on a smooth measure from many starts; docs/algorithms/genm.md section 1.
LearnerInfo genm_bat_info();

/// Up to `count` of the 2^rankers - 1 non-zero vectors of zeros and ones, scaled to sum 1: all of
/// them if there are no more, otherwise all ones, each ranker alone, and the rest at random without
/// repetition.
BRAID_API std::vector<std::vector<double>> binary_starts(std::size_t rankers, std::size_t count,
                                                         std::uint64_t seed);

}  // namespace braid

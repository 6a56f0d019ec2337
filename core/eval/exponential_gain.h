// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "braid/core/eval/judgements.h"

namespace braid {

/// 2^grade - 1 for a grade from 0 up; 0 below. A grade over 60 counts as 60, so that sums of
/// gains stay finite.
inline double exponential_gain(Grade grade) {
    if (grade <= 0) return 0;
    return static_cast<double>((std::uint64_t{1} << std::min(grade, 60)) - 1);
}

}  // namespace braid

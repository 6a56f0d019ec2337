// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// Holm's step-down correction, significance.md (7): p values, in the order given, adjusted so
/// that calling those below a level significant is wrong anywhere with at most that probability.
/// At most 1, never below the p value itself. Throws InvalidArgument for a p outside [0, 1].
BRAID_API std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Newton's direction for a maximum, made safe; not installed.

#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// An ascent direction: -H^-1 gradient with each eigenvalue of the symmetric `hessian` (row-major)
/// replaced by minus its magnitude, those below a millionth of the largest by that. Where H is
/// negative definite it is Newton's own.
BRAID_API std::vector<double> ascent_direction(std::span<const double> gradient,
                                               std::span<const double> hessian);

/// The same among directions whose components sum to 0.
BRAID_API std::vector<double> balanced_ascent_direction(std::span<const double> gradient,
                                                        std::span<const double> hessian);

}  // namespace braid

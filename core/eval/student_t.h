// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/base/export.h"

namespace braid {

/// The regularised incomplete beta function I_x(a, b), docs/algorithms/significance.md (2), for
/// a, b > 0 and x in [0, 1]; `complement` is 1 - x, given apart because the caller often has it
/// without the rounding of a subtraction. Relative error below 1e-12 wherever the result is not
/// denormal.
BRAID_API double incomplete_beta(double a, double b, double x, double complement);

/// The probability that a t variable with `degrees` > 0 degrees of freedom is at least |t| from 0,
/// on either side.
BRAID_API double student_t_two_sided(double t, double degrees);

/// The t for which student_t_two_sided(t, degrees) is `p`, in (0, 1].
BRAID_API double student_t_critical(double p, double degrees);

}  // namespace braid

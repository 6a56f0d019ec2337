// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "braid/core/base/export.h"

namespace braid {

/// The arithmetic mean, with compensated summation: the order of the values changes at most its
/// last bit. Throws InvalidArgument where there are none.
BRAID_API double mean(std::span<const double> values);

/// The sample standard deviation (divisor n - 1), in two passes. 0 for a single value; throws
/// InvalidArgument where there are none.
BRAID_API double standard_deviation(std::span<const double> values);

}  // namespace braid

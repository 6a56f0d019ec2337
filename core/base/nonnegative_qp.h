// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

struct NonnegativeSolution {
    std::vector<double> values;
    double violation = 0;  ///< The worst breach of its conditions, by the largest of |linear|.
    std::size_t passes = 0;
};

/// minimise 1/2 w' Q w - linear . w over w >= 0, Q positive semidefinite, row by row. Coordinates
/// one after the other, and every ten passes those above 0 at once. Ends at a violation of
/// `tolerance`, or after `passes`.
BRAID_API NonnegativeSolution solve_nonnegative(std::span<const double> quadratic,
                                                std::span<const double> linear,
                                                double tolerance = 1e-10,
                                                std::size_t passes = 10000);

}  // namespace braid

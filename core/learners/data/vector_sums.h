// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <span>

namespace braid {

/// Added up in order; `b` has at least as many values as `a`.
inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace braid

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

/// to <- to + factor what; `to` has at least as many values as `what`.
inline void add_multiple(double factor, std::span<const double> what, std::span<double> to) {
    for (std::size_t i = 0; i < what.size(); ++i) to[i] += factor * what[i];
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace braid {

/// Bounds hold up to rounding, and compared sums are added in another order, so bounds exceed their
/// formulas by this relative amount.
inline constexpr double kBoundRoundingShare = 1e-12;
inline constexpr double kBoundRounding = 1 + kBoundRoundingShare;

/// Sums in order; `b` has at least as many values as `a`.
inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The mean and standard deviation of `values[first]`, `values[first + stride]`, ...; 0 for no
/// values. Works for all finite values: they are first divided by a power of two, which keeps the
/// bits, so squares neither overflow nor underflow.
struct Spread {
    double mean = 0;
    double deviation = 0;
};
inline Spread spread_of(std::span<const double> values, std::size_t first = 0,
                        std::size_t stride = 1) {
    double largest = 0;
    for (std::size_t i = first; i < values.size(); i += stride) {
        largest = std::max(largest, std::abs(values[i]));
    }
    if (largest == 0) return {};
    const int exponent = std::ilogb(largest);
    double mean = 0;
    double squares = 0;
    double count = 0;
    for (std::size_t i = first; i < values.size(); i += stride) {
        const double value = std::ldexp(values[i], -exponent);
        ++count;
        const double step = value - mean;
        mean += step / count;
        squares += step * (value - mean);
    }
    return {std::ldexp(mean, exponent), std::ldexp(std::sqrt(squares / count), exponent)};
}

/// to <- to + factor what; `to` has at least as many values as `what`.
inline void add_multiple(double factor, std::span<const double> what, std::span<double> to) {
    for (std::size_t i = 0; i < what.size(); ++i) to[i] += factor * what[i];
}

}  // namespace braid

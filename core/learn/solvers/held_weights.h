// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What descents over weights from 0 up share; not installed.

#include <algorithm>
#include <limits>
#include <span>

namespace braid {

/// Sets to 0 what `vector` has for weights at 0 that would go below.
inline void release_held(std::span<const double> weights, std::span<const double> gradient,
                         std::span<double> vector) {
    for (std::size_t k = 0; k < vector.size(); ++k) {
        if (weights[k] <= 0 && gradient[k] >= 0) vector[k] = 0;
    }
}

/// How far one can go before the first weight is 0; infinite where none falls.
inline double longest_step(std::span<const double> weights, std::span<const double> direction) {
    double longest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < direction.size(); ++k) {
        if (direction[k] < 0) longest = std::min(longest, -weights[k] / direction[k]);
    }
    return longest;
}

/// Weights that a step was to bring to 0 and missed by rounding.
inline void cut_rounding(std::span<double> weights) {
    for (double& weight : weights) {
        if (weight < 1e-14) weight = 0;
    }
}

}  // namespace braid

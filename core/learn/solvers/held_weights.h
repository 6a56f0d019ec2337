// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Shared by descents over non-negative weights.

#include <algorithm>
#include <limits>
#include <span>

namespace braid {

/// Sets the components of `vector` to 0 for weights at 0 that would become negative.
inline void release_held(std::span<const double> weights, std::span<const double> gradient,
                         std::span<double> vector) {
    for (std::size_t k = 0; k < vector.size(); ++k) {
        if (weights[k] <= 0 && gradient[k] >= 0) vector[k] = 0;
    }
}

/// The longest step before a weight reaches 0; infinite if none falls.
inline double longest_step(std::span<const double> weights, std::span<const double> direction) {
    double longest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < direction.size(); ++k) {
        if (direction[k] < 0) longest = std::min(longest, -weights[k] / direction[k]);
    }
    return longest;
}

/// Sets to 0 the weights that missed it by rounding.
inline void cut_rounding(std::span<double> weights) {
    for (double& weight : weights) {
        if (weight < 1e-14) weight = 0;
    }
}

}  // namespace braid

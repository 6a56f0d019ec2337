// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

// Shared by descents over non-negative weights.

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

struct QuasiNewtonOptions {
    std::size_t iterations = 200;
    double tolerance = 1e-6;    ///< Stops after a step that lowers the value by a smaller share.
    bool non_negative = false;  ///< Keeps all numbers >= 0; the start must be so.
};

/// The value at a point, and its derivatives. May be infinite where undefined, but not at the
/// start.
using SmoothFunction =
    std::function<double(std::span<const double> point, std::span<double> gradient)>;

/// Minimises a smooth function by limited memory BFGS. The line search ends when the value is low
/// enough and at most half of the slope is left: docs/algorithms/bundle.md (10) and (12); numbers
/// are held at 0 if asked. Finds a local minimum of a function that is not convex. Calls `record`
/// with the start and the point after every step; it returns whether to continue. Returns the stop
/// reason.
std::string minimise_quasi_newton(
    const SmoothFunction& function, std::vector<double> start, const QuasiNewtonOptions& options,
    const std::function<bool(double value, const std::vector<double>& point)>& record);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

struct QuasiNewtonOptions {
    std::size_t iterations = 200;
    double tolerance = 1e-6;    ///< A step that lowers the value by less of it is the last.
    bool non_negative = false;  ///< No number goes below 0; the start has none that is.
};

/// The value at a point, and its derivatives. May be infinite where the function has no value, but
/// not at the start.
using SmoothFunction =
    std::function<double(std::span<const double> point, std::span<double> gradient)>;

/// Minimises a function with a gradient by limited memory BFGS, with a line search that ends where
/// the value is low enough and at most half of the slope is left: docs/algorithms/bundle.md (10)
/// and (12), with numbers held at 0 where asked. A local minimum where the function is not convex.
/// `record` gets the start and the point after every step, and says whether to go on. Returns why
/// it stopped.
BRAID_API std::string minimise_quasi_newton(
    const SmoothFunction& function, std::vector<double> start, const QuasiNewtonOptions& options,
    const std::function<bool(double value, const std::vector<double>& point)>& record);

}  // namespace braid

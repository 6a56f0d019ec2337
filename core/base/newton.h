// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "braid/error.h"

namespace braid {

// A safeguarded Newton direction for a maximum.

/// An ascent direction: -H^-1 gradient with each eigenvalue of the symmetric `hessian` (row-major)
/// replaced by minus its magnitude, raised to at least a millionth of the largest. For a negative
/// definite H it is Newton's direction.
std::vector<double> ascent_direction(std::span<const double> gradient,
                                     std::span<const double> hessian);

/// The same among directions whose components sum to 0.
std::vector<double> balanced_ascent_direction(std::span<const double> gradient,
                                              std::span<const double> hessian);

/// A function's curvature, estimated from the last steps: limited memory BFGS,
/// docs/algorithms/bundle.md (10).
class CurvatureMemory {
  public:
    /// Adds a step and its change of the gradient. Ignores them unless they point the same way: the
    /// function is not convex along the step.
    void add(std::vector<double> step, std::vector<double> change);
    /// The same from the points and gradients before and after the step.
    void add(const std::vector<double>& point, const std::vector<double>& gradient,
             const std::vector<double>& next, const std::vector<double>& next_gradient);

    bool empty() const { return pairs_.empty(); }
    void clear() { pairs_.clear(); }

    /// Minus the inverse of the curvature so far times the gradient; without steps, minus `scale`
    /// times the gradient. O(numbers x steps).
    std::vector<double> direction(std::vector<double> gradient, double scale) const;

  private:
    struct Pair {
        std::vector<double> step;
        std::vector<double> change;
        double product = 0;
    };

    std::deque<Pair> pairs_;
};

}  // namespace braid

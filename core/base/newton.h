// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

// Newton's direction for a maximum, made safe.

/// An ascent direction: -H^-1 gradient with each eigenvalue of the symmetric `hessian` (row-major)
/// replaced by minus its magnitude, those below a millionth of the largest by that. Where H is
/// negative definite it is Newton's own.
BRAID_API std::vector<double> ascent_direction(std::span<const double> gradient,
                                               std::span<const double> hessian);

/// The same among directions whose components sum to 0.
BRAID_API std::vector<double> balanced_ascent_direction(std::span<const double> gradient,
                                                        std::span<const double> hessian);

/// What the last steps told of a function's curvature: limited memory BFGS, docs/algorithms/
/// bundle.md (10).
class BRAID_API CurvatureMemory {
  public:
    /// A step and what it changed of the gradient. Says nothing where they don't point the same
    /// way: the function is not convex along it.
    void add(std::vector<double> step, std::vector<double> change);

    bool empty() const { return pairs_.empty(); }
    void clear() { pairs_.clear(); }

    /// Minus the inverse of the curvature so far times the gradient; without any, minus `scale`
    /// times it. O(numbers x steps).
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

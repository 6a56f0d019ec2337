// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/newton.h"
#include "braid/error.h"

namespace braid {

// Shared by descents, over non-negative weights if asked.

/// The direction of quasi-Newton steps; docs/algorithms/bundle.md (10). With `non_negative`,
/// weights at 0 that would become negative take no part.
std::vector<double> descent_direction(const CurvatureMemory& memory,
                                      const std::vector<double>& weights,
                                      const std::vector<double>& gradient, bool non_negative);

/// The longest step before a weight reaches 0; infinite if none falls, or any may.
double longest_step(std::span<const double> weights, std::span<const double> direction,
                    bool non_negative);

/// Sets to 0 the weights that missed it by rounding.
inline void cut_rounding(std::span<double> weights) {
    for (double& weight : weights) {
        if (weight < 1e-14) weight = 0;
    }
}

/// Finds a length for a step down a line whose slope at its begin is negative:
/// docs/algorithms/bundle.md (12). Begins with 1, takes four times as much while that is too short,
/// then halves the range between a length that is too short and one that is too long.
class LengthSearch {
  public:
    static constexpr std::size_t kTries = 30;

    /// `longest` may be infinite.
    LengthSearch(double value, double slope, double longest)
        : value_(value), slope_(slope), longest_(longest) {}

    /// The length to try next.
    double length() const { return length_; }
    /// Whether the value there is low enough, and whether the slope there says that a longer step
    /// would lower it little more, or there is no longer one.
    bool is_lower(double value) const;
    bool is_long(double slope) const;
    /// Goes on from a length, given whether the value was low enough.
    void narrow(bool is_lower);

  private:
    static constexpr double kSlopeLeft = 0.5;  // Of the line's slope at its begin.
    static constexpr double kLeastFall = 1e-4;

    double value_;
    double slope_;
    double longest_;
    double length_ = std::min(1.0, longest_);
    double low_ = 0;
    double high_ = longest_;
};

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

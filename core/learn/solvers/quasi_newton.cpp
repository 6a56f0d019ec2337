// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "braid/core/base/newton.h"
#include "braid/core/base/vector_sums.h"

// Equations are those of docs/algorithms/bundle.md.

namespace braid {
namespace {

constexpr std::size_t kLineSteps = 30;
constexpr double kSlopeLeft = 0.5;
constexpr double kLeastFall = 1e-4;

struct Place {
    std::vector<double> point;
    std::vector<double> gradient;
    double value = 0;
};

class Descent {
  public:
    Descent(const SmoothFunction& function, std::vector<double> start, bool non_negative)
        : function_(function), non_negative_(non_negative) {
        here_ = at(std::move(start));
    }

    const Place& here() const { return here_; }

    // False where nothing better was found.
    bool step() {
        if (move_along(direction())) return true;
        if (memory_.empty()) return false;
        memory_.clear();
        return move_along(direction());
    }

  private:
    Place at(std::vector<double> point) const {
        Place place{std::move(point), {}, 0};
        place.gradient.resize(place.point.size());
        place.value = function_(place.point, place.gradient);
        return place;
    }

    // Numbers held at 0 don't take part.
    std::vector<double> direction() const {
        const double scale = 1 / (1 + std::sqrt(dot(here_.gradient, here_.gradient)));
        std::vector<double> gradient = here_.gradient;
        if (non_negative_) release_held(here_.point, here_.gradient, gradient);
        std::vector<double> result = memory_.direction(std::move(gradient), scale);
        if (non_negative_) release_held(here_.point, here_.gradient, result);
        return result;
    }

    // (12). The best place is kept where no length does: the function may have kinks.
    bool move_along(const std::vector<double>& direction) {
        const double first_slope = dot(direction, here_.gradient);
        const double longest = non_negative_ ? longest_step(here_.point, direction)
                                             : std::numeric_limits<double>::infinity();
        if (!(first_slope < 0) || longest == 0) return false;
        double low = 0;
        double high = longest;
        double length = std::min(1.0, longest);
        Place best = here_;
        for (std::size_t i = 0; i < kLineSteps; ++i) {
            std::vector<double> point = here_.point;
            add_multiple(length, direction, point);
            if (non_negative_) cut_rounding(point);
            Place next = at(std::move(point));
            const bool is_lower = next.value <= here_.value + kLeastFall * length * first_slope;
            const bool is_long = dot(next.gradient, direction) >= kSlopeLeft * first_slope;
            if (is_lower && next.value <= best.value) best = std::move(next);
            if (is_lower && (is_long || length == longest)) break;
            (is_lower ? low : high) = length;
            length = std::isinf(high) ? 4 * length : 0.5 * (low + high);
            if (is_lower && high == longest) length = std::min(4 * low, longest);
        }
        if (!(best.value < here_.value)) return false;
        std::vector<double> change = best.gradient;
        std::vector<double> moved = best.point;
        add_multiple(-1, here_.gradient, change);
        add_multiple(-1, here_.point, moved);
        memory_.add(std::move(moved), std::move(change));
        here_ = std::move(best);
        return true;
    }

    const SmoothFunction& function_;
    bool non_negative_;
    Place here_;
    CurvatureMemory memory_;
};

}  // namespace

std::string minimise_quasi_newton(
    const SmoothFunction& function, std::vector<double> start, const QuasiNewtonOptions& options,
    const std::function<bool(double value, const std::vector<double>& point)>& record) {
    Descent descent(function, std::move(start), options.non_negative);
    for (std::size_t i = 0;; ++i) {
        const double before = descent.here().value;
        if (!record(before, descent.here().point)) return "no better on the validation part";
        if (i == options.iterations) return "iteration limit";
        if (!descent.step()) return "converged";
        if (before - descent.here().value > options.tolerance * std::abs(before)) continue;
        record(descent.here().value, descent.here().point);
        return "converged";
    }
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "braid/core/base/vector_sums.h"

// Equations are those of docs/algorithms/bundle.md.

namespace braid {
namespace {

// Sets the components of `vector` to 0 for weights at 0 that would become negative.
void release_held(std::span<const double> weights, std::span<const double> gradient,
                  std::span<double> vector) {
    for (std::size_t k = 0; k < vector.size(); ++k) {
        if (weights[k] <= 0 && gradient[k] >= 0) vector[k] = 0;
    }
}

}  // namespace

std::vector<double> descent_direction(const CurvatureMemory& memory,
                                      const std::vector<double>& weights,
                                      const std::vector<double>& gradient, bool non_negative) {
    const double scale = 1 / (1 + std::sqrt(dot(gradient, gradient)));
    std::vector<double> free = gradient;
    if (non_negative) release_held(weights, gradient, free);
    std::vector<double> result = memory.direction(std::move(free), scale);
    if (non_negative) release_held(weights, gradient, result);
    return result;
}

double longest_step(std::span<const double> weights, std::span<const double> direction,
                    bool non_negative) {
    double longest = std::numeric_limits<double>::infinity();
    if (!non_negative) return longest;
    for (std::size_t k = 0; k < direction.size(); ++k) {
        if (direction[k] < 0) longest = std::min(longest, -weights[k] / direction[k]);
    }
    return longest;
}

bool LengthSearch::is_lower(double value) const {
    return value <= value_ + kLeastFall * length_ * slope_;
}

bool LengthSearch::is_long(double slope) const {
    return slope >= kSlopeLeft * slope_ || length_ == longest_;
}

void LengthSearch::narrow(bool is_lower) {
    (is_lower ? low_ : high_) = length_;
    length_ = std::isinf(high_) ? 4 * length_ : 0.5 * (low_ + high_);
    if (is_lower && high_ == longest_) length_ = std::min(4 * low_, longest_);
}

namespace {

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

    std::vector<double> direction() const {
        return descent_direction(memory_, here_.point, here_.gradient, non_negative_);
    }

    // (12). The best place is kept where no length does: the function may have kinks.
    bool move_along(const std::vector<double>& direction) {
        const double first_slope = dot(direction, here_.gradient);
        const double longest = longest_step(here_.point, direction, non_negative_);
        if (!(first_slope < 0) || longest == 0) return false;
        LengthSearch search(here_.value, first_slope, longest);
        Place best = here_;
        for (std::size_t i = 0; i < LengthSearch::kTries; ++i) {
            std::vector<double> point = here_.point;
            add_multiple(search.length(), direction, point);
            if (non_negative_) cut_rounding(point);
            Place next = at(std::move(point));
            const bool is_lower = search.is_lower(next.value);
            const bool is_long = search.is_long(dot(next.gradient, direction));
            if (is_lower && next.value <= best.value) best = std::move(next);
            if (is_lower && is_long) break;
            search.narrow(is_lower);
        }
        if (!(best.value < here_.value)) return false;
        memory_.add(here_.point, here_.gradient, best.point, best.gradient);
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/bundle.h"

#include <algorithm>
#include <cmath>

#include "braid/core/base/vector_sums.h"

// Equations are those of docs/algorithms/bundle.md.

namespace braid {
namespace {

constexpr double kCutShare = 0.1;        // (9)
constexpr double kInnerAccuracy = 0.05;  // Of the gap.
constexpr std::size_t kIdleCalls = 50;
constexpr std::size_t kLineSteps = 12;
constexpr double kFlat = 0.1;  // Of the line's slope at its begin.
constexpr double kMostExtension = 1024;

}  // namespace

Bundle::Bundle(const LinearRisk& risk, bool non_negative)
    : risk_(risk), non_negative_(non_negative), model_(risk.width(), non_negative) {}

BundleState Bundle::minimise(const BundleOptions& options, std::vector<double> start,
                             const std::function<bool(const BundleState&)>& record) {
    c_ = options.c;
    if (start.empty()) start = best_.weights;
    if (start.empty()) start.assign(risk_.width(), 0);
    best_ = point_at(std::move(start));
    add_cut(best_);
    BundleState state{best_.weights, best_.objective, 0, 0, false};
    double accuracy = kInnerAccuracy * best_.objective;
    while (true) {
        state.bound = std::max(state.bound, model_.maximise(c_, accuracy));
        const double gap = state.objective - state.bound;
        state.converged = gap <= options.tolerance * state.objective;
        if (record && !record(state)) return state;
        if (state.converged || state.iterations == options.iterations) return state;
        accuracy = kInnerAccuracy * std::max(gap, 1e-3 * options.tolerance * state.objective);
        const Point target = point_at(model_.weights());
        best_ = search(best_, target);
        Point cut = between(best_, target, kCutShare);
        evaluate(cut);
        add_cut(cut);
        add_cut(target);
        model_.drop_idle(kIdleCalls);
        state.weights = best_.weights;
        state.objective = best_.objective;
        ++state.iterations;
    }
}

Bundle::Point Bundle::point_at(std::vector<double> weights) const {
    Point point;
    point.scores = risk_.scores(weights);
    point.weights = std::move(weights);
    evaluate(point);
    return point;
}

void Bundle::evaluate(Point& point) const {
    point.slopes.resize(point.scores.size());
    point.risk = risk_.value(point.scores, point.slopes);
    point.objective = 0.5 * dot(point.weights, point.weights) + c_ * point.risk;
}

void Bundle::add_cut(const Point& point) {  // (2)
    const std::vector<double> slope = risk_.gradient(point.slopes);
    model_.add(slope, point.risk - dot(slope, point.weights));
}

Bundle::Point Bundle::between(const Point& from, const Point& to, double share) const {
    Point point = from;
    for (std::size_t k = 0; k < point.weights.size(); ++k) {
        point.weights[k] += share * (to.weights[k] - from.weights[k]);
    }
    for (std::size_t i = 0; i < point.scores.size(); ++i) {
        point.scores[i] += share * (to.scores[i] - from.scores[i]);
    }
    return point;
}

// The objective's derivative by the share of the way.
double Bundle::slope_along(const Point& at, const Point& from, const Point& to) const {
    double by_length = 0;
    for (std::size_t k = 0; k < at.weights.size(); ++k) {
        by_length += at.weights[k] * (to.weights[k] - from.weights[k]);
    }
    double by_risk = 0;
    for (std::size_t i = 0; i < at.scores.size(); ++i) {
        by_risk += at.slopes[i] * (to.scores[i] - from.scores[i]);
    }
    return by_length + c_ * by_risk;
}

// (8): of the points tried the best, `from` and `to` among them, so the objective never rises.
Bundle::Point Bundle::search(const Point& from, const Point& to) const {
    const double first_slope = slope_along(from, from, to);
    double low = 0;
    double low_slope = std::min(first_slope, 0.0);
    double high = 1;
    double high_slope = slope_along(to, from, to);
    Point best = to.objective < from.objective ? to : from;
    const auto look_at = [&](double share) {
        Point point = between(from, to, share);
        evaluate(point);
        const double slope = slope_along(point, from, to);
        if (point.objective < best.objective) best = std::move(point);
        return slope;
    };
    while (!non_negative_ && high_slope < 0 && high < kMostExtension) {
        low = high;
        low_slope = high_slope;
        high *= 2;
        high_slope = look_at(high);
    }
    if (high_slope <= 0) return best;
    for (std::size_t i = 0; i < kLineSteps; ++i) {
        const double secant = -low_slope / (high_slope - low_slope);
        const double share = low + (high - low) * std::clamp(secant, 0.1, 0.9);
        const double slope = look_at(share);
        if (std::abs(slope) <= kFlat * std::abs(first_slope)) break;
        (slope < 0 ? low : high) = share;
        (slope < 0 ? low_slope : high_slope) = slope;
    }
    return best;
}

}  // namespace braid

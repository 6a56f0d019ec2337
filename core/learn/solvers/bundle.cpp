// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/bundle.h"

#include <algorithm>
#include <cmath>

#include "braid/core/base/vector_sums.h"

namespace braid {

// Equations are those of docs/algorithms/bundle.md.

namespace {

constexpr std::size_t kMostSteps = 100000;

// Four lanes, added up in one order: a sum the compiler may keep in vector registers.
double lane_dot(std::span<const double> a, std::span<const double> b) {
    double lanes[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= a.size(); i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
    }
    for (; i < a.size(); ++i) lanes[0] += a[i] * b[i];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

CutModel::CutModel(std::size_t width, bool non_negative)
    : width_(width), non_negative_(non_negative), sums_(width, 0), weights_(width, 0) {
    add(std::vector<double>(width, 0), 0);
}

void CutModel::add(std::span<const double> slope, double offset) {
    slopes_.insert(slopes_.end(), slope.begin(), slope.end());
    offsets_.push_back(offset);
    multipliers_.push_back(0);
    idle_.push_back(0);
    std::vector<double> row;
    row.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) row.push_back(lane_dot(slope, this->slope(i)));
    products_.push_back(std::move(row));
}

double CutModel::maximise(double c, double accuracy) {
    if (c_ == 0) {
        multipliers_[0] = c;
    } else if (c != c_) {
        for (double& multiplier : multipliers_) multiplier *= c / c_;
    }
    c_ = c;
    weigh();
    for (std::size_t done = 0; done < kMostSteps; ++done) {
        double highest = heights_[0];
        double mean = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            highest = std::max(highest, heights_[i]);
            mean += multipliers_[i] * heights_[i];
        }
        if (c_ * highest - mean <= accuracy || !step()) break;  // (6)
    }
    weigh();
    double value = -0.5 * lane_dot(weights_, weights_);  // (5)
    for (std::size_t i = 0; i < size(); ++i) value += multipliers_[i] * offsets_[i];
    for (std::size_t i = 0; i < size(); ++i) idle_[i] = multipliers_[i] > 0 ? 0 : idle_[i] + 1;
    return value;
}

// All sums afresh: they gather no rounding from one call to the next.
void CutModel::weigh() {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t i = 0; i < size(); ++i) {
        if (multipliers_[i] == 0) continue;
        const std::span<const double> a = slope(i);
        for (std::size_t k = 0; k < width_; ++k) sums_[k] -= multipliers_[i] * a[k];
    }
    weights_ = sums_;
    if (non_negative_) {
        for (double& weight : weights_) weight = std::max(weight, 0.0);
    }
    heights_.resize(size());
    for (std::size_t i = 0; i < size(); ++i)
        heights_[i] = lane_dot(slope(i), weights_) + offsets_[i];
}

// (7): to the highest cut, from the one that gains most. False where no step gains.
bool CutModel::step() {
    const auto product = [&](std::size_t a, std::size_t b) {
        return a >= b ? products_[a][b] : products_[b][a];
    };
    const auto to = static_cast<std::size_t>(std::max_element(heights_.begin(), heights_.end()) -
                                             heights_.begin());
    std::size_t from = to;
    double best_gain = 0;
    double amount = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        const double rise = heights_[to] - heights_[i];
        if (multipliers_[i] == 0 || rise <= 0) continue;
        const double curvature =
            std::max(product(to, to) + product(i, i) - 2 * product(to, i), 1e-300);
        const double length = std::min(rise / curvature, multipliers_[i]);
        const double gain = length * (rise - 0.5 * length * curvature);
        if (gain <= best_gain) continue;
        best_gain = gain;
        from = i;
        amount = length;
    }
    if (from == to) return false;
    move(from, to, amount);
    return true;
}

void CutModel::move(std::size_t from, std::size_t to, double amount) {
    multipliers_[to] += amount;
    multipliers_[from] = amount == multipliers_[from] ? 0 : multipliers_[from] - amount;
    if (!non_negative_) {
        for (std::size_t i = 0; i < size(); ++i) {
            const double toward = i >= to ? products_[i][to] : products_[to][i];
            const double away = i >= from ? products_[i][from] : products_[from][i];
            heights_[i] -= amount * (toward - away);
        }
        return;
    }
    const std::span<const double> a = slope(to);
    const std::span<const double> b = slope(from);
    for (std::size_t k = 0; k < width_; ++k) {
        sums_[k] -= amount * (a[k] - b[k]);
        weights_[k] = std::max(sums_[k], 0.0);
    }
    for (std::size_t i = 0; i < size(); ++i)
        heights_[i] = lane_dot(slope(i), weights_) + offsets_[i];
}

void CutModel::drop_idle(std::size_t calls) {
    for (std::size_t i = size(); i-- > 1;) {
        if (idle_[i] > calls) remove(i);
    }
}

void CutModel::remove(std::size_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const auto begin = slopes_.begin() + static_cast<std::ptrdiff_t>(i * width_);
    slopes_.erase(begin, begin + static_cast<std::ptrdiff_t>(width_));
    offsets_.erase(offsets_.begin() + at);
    multipliers_.erase(multipliers_.begin() + at);
    idle_.erase(idle_.begin() + at);
    products_.erase(products_.begin() + at);
    for (std::size_t j = i; j < products_.size(); ++j)
        products_[j].erase(products_[j].begin() + at);
}

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

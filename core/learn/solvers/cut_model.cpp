// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/cut_model.h"

#include <algorithm>
#include <cmath>

// Equations are those of docs/algorithms/bundle.md.

namespace braid {
namespace {

constexpr std::size_t kMostSteps = 100000;

// Four lanes, added up in one order: a sum the compiler may keep in vector registers.
double dot(std::span<const double> a, std::span<const double> b) {
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
    for (std::size_t i = 0; i < size(); ++i) row.push_back(dot(slope, this->slope(i)));
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
    double value = -0.5 * dot(weights_, weights_);  // (5)
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
    for (std::size_t i = 0; i < size(); ++i) heights_[i] = dot(slope(i), weights_) + offsets_[i];
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
    for (std::size_t i = 0; i < size(); ++i) heights_[i] = dot(slope(i), weights_) + offsets_[i];
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

}  // namespace braid

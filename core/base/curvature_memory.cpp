// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/curvature_memory.h"

#include <utility>

#include "braid/core/base/vector_sums.h"

namespace braid {
namespace {

constexpr std::size_t kMost = 20;

}  // namespace

void CurvatureMemory::add(std::vector<double> step, std::vector<double> change) {
    const double product = dot(step, change);
    if (!(product > 0)) return;
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kMost) pairs_.pop_front();
}

std::vector<double> CurvatureMemory::direction(std::vector<double> gradient, double scale) const {
    std::vector<double> parts(pairs_.size(), 0);
    for (std::size_t i = pairs_.size(); i-- > 0;) {
        parts[i] = dot(pairs_[i].step, gradient) / pairs_[i].product;
        add_multiple(-parts[i], pairs_[i].change, gradient);
    }
    if (!pairs_.empty()) {
        const Pair& last = pairs_.back();
        scale = last.product / dot(last.change, last.change);
    }
    for (double& part : gradient) part *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const double part = dot(pairs_[i].change, gradient) / pairs_[i].product;
        add_multiple(parts[i] - part, pairs_[i].step, gradient);
    }
    for (double& part : gradient) part = -part;
    return gradient;
}

}  // namespace braid

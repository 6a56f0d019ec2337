// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/attention_loss.h"

#include <algorithm>
#include <cmath>

#include "braid/core/model/attention.h"

namespace braid {
namespace {

constexpr double kMostHeat = 5;

}  // namespace

AttentionLoss attention_loss(const ListObjective& objective, const ListObjective::Query& query,
                             std::vector<double> weights, std::span<const double> base,
                             bool non_negative, double heat, bool with_slopes) {
    std::vector<bool> is_cut(weights.size(), false);
    if (non_negative) {
        for (std::size_t k = 0; k < weights.size(); ++k) is_cut[k] = !(weights[k] > 0);
        cut_below_zero(weights, base);
    }
    const double factor = std::exp(std::clamp(heat, -kMostHeat, kMostHeat));
    for (double& weight : weights) weight *= factor;
    AttentionLoss loss;
    loss.slopes.resize(with_slopes ? weights.size() : 0);
    loss.value = objective.value(query, weights, loss.slopes);
    for (std::size_t k = 0; k < loss.slopes.size(); ++k) {
        loss.heat_slope += loss.slopes[k] * weights[k];
        loss.slopes[k] *= is_cut[k] ? 0 : factor;
    }
    if (std::abs(heat) > kMostHeat) loss.heat_slope = 0;
    return loss;
}

}  // namespace braid

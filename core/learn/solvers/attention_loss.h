// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The loss of one query by weights of its own; not installed. Equations are those of
// docs/algorithms/list-loss.md.

#include <span>
#include <vector>

#include "braid/core/learn/losses/list_objective.h"

namespace braid {

/// Of the pull of heat: hardly any, it ranks nothing.
inline constexpr double kTemperPull = 1e-3;

struct AttentionLoss {
    double value = 0;
    std::vector<double> slopes;  ///< By the weights as they were given; empty if not asked for.
    double heat_slope = 0;
};

/// (9) of the query's scores times e^heat, the exponent kept within limits. With `non_negative`
/// weights below 0 are 0, and those of `base` where none is left above; such have no slope.
AttentionLoss attention_loss(const ListObjective& objective, const ListObjective::Query& query,
                             std::vector<double> weights, std::span<const double> base,
                             bool non_negative, double heat, bool with_slopes);

}  // namespace braid

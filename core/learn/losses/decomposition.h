// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// The Plackett-Luce loss of an ensemble, taken apart; means over the queries that have documents
/// of more than one grade. docs/algorithms/list-loss.md section 6:
/// ensemble = rankers - ambiguity - (1 / weight_sum - 1) slope.
struct LossDecomposition {
    double ensemble = 0;   ///< E
    double rankers = 0;    ///< The mean loss of the rankers, each by its share of the weights.
    double ambiguity = 0;  ///< A; may be negative where weights have both signs.
    double slope = 0;      ///< The loss's derivative along the ensemble's own scores.
    double weight_sum = 0;
    double diversity = 0;  ///< The estimate of A, (8).
    std::size_t queries = 0;
};

/// `interpolation`: c of (8). Throws InvalidArgument where weights are not one a ranker, not
/// finite, or sum to 0.
BRAID_API LossDecomposition decompose_loss(const TrainingSet& set, std::span<const double> weights,
                                           double interpolation = 0.5);

}  // namespace braid

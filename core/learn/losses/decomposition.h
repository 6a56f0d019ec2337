// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

/// The decomposed Plackett-Luce loss of an ensemble; means over the queries that have documents of
/// more than one grade. docs/algorithms/list-loss.md section 6: ensemble = rankers - ambiguity - (1
/// / weight_sum - 1) slope.
struct LossDecomposition {
    double ensemble = 0;   ///< E
    double rankers = 0;    ///< Mean loss of the rankers, by share of the weights.
    double ambiguity = 0;  ///< A; may be negative if weights have both signs.
    double slope = 0;      ///< The loss's derivative along the ensemble's own scores.
    double weight_sum = 0;
    double diversity = 0;  ///< Estimate of A, (8).
    std::size_t queries = 0;
};

/// `interpolation`: c of (8). Throws InvalidArgument unless there is one weight a ranker, all are
/// finite, and their sum is not 0.
LossDecomposition decompose_loss(const TrainingSet& set, std::span<const double> weights,
                                 double interpolation = 0.5);

}  // namespace braid

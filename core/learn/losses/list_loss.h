// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The Plackett-Luce loss of a partial order, and its curvature. Equations are those of
// docs/algorithms/list-loss.md. All in O(documents).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/eval/measure.h"
#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

/// How documents of one grade are ordered.
enum class GradeTies {
    kBreslow,  ///< No order: each is chosen from all of its grade or below.
    kFull,     ///< Random order of all, as in the paper.
};

/// One query's stages: at each a document is chosen from itself and all after it.
struct ListStages {
    std::vector<std::uint32_t> order;  ///< Documents, the best grade first.
    std::vector<double> counts;        ///< Number of stages choosing from each place to the end.
    std::size_t chosen = 0;            ///< Number of chosen documents, at the first places.
};

/// Unjudged documents have grade 0. `random` orders ties if `ties` asks for it.
ListStages stages_of(std::span<const Grade> grades, GradeTies ties, Random& random);

/// (2): `scores` in the order of the stages. A non-empty `gradient` receives the derivatives.
double list_loss(const ListStages& stages, std::span<const double> scores,
                 std::span<double> gradient);

/// (5): x' H(scale x) x. A non-empty `gradient` receives the derivatives by x.
double list_spread(const ListStages& stages, double scale, std::span<const double> scores,
                   std::span<double> gradient);

/// (3): the mean over pairs whose first document has a better grade; likewise.
double pair_loss(std::span<const Grade> grades, std::span<const double> scores,
                 std::span<double> gradient);

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

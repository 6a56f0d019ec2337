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

namespace braid {

/// How documents of one grade are ordered.
enum class GradeTies {
    kBreslow,  ///< No order: each is chosen from all of its grade or below.
    kStop,     ///< Random order, up to the last document above the lowest grade.
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

}  // namespace braid

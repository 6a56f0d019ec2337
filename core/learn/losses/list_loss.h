// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The Plackett-Luce loss of a partial order and what it curves like; not installed. Equations are
// those of docs/algorithms/list-loss.md. All in O(documents).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/random.h"
#include "braid/core/eval/measure.h"

namespace braid {

/// What stands for an order among documents of one grade.
enum class GradeTies {
    kBreslow,  ///< None: each is chosen from all that are of its grade or below.
    kStop,     ///< A random order, up to the last document above the lowest grade.
    kFull,     ///< A random order of all, which is the paper's reading.
};

/// One query's stages: at each a document is chosen from itself and all after it.
struct ListStages {
    std::vector<std::uint32_t> order;  ///< Documents, the best grade first.
    std::vector<double> counts;  ///< For each place how many stages choose from there to the end.
    std::size_t chosen = 0;      ///< The documents at the first places are those chosen.
};

/// Unjudged documents are of grade 0. `random` orders ties where the kind asks for it.
BRAID_API ListStages stages_of(std::span<const Grade> grades, GradeTies ties, Random& random);

/// (2): `scores` in the order of the stages. Where `gradient` is not empty it becomes the
/// derivatives by them.
BRAID_API double list_loss(const ListStages& stages, std::span<const double> scores,
                           std::span<double> gradient);

/// (5): x' H(scale x) x, and its derivatives by x where `gradient` is not empty.
BRAID_API double list_spread(const ListStages& stages, double scale, std::span<const double> scores,
                             std::span<double> gradient);

/// (3): the mean over the pairs of which the first is of a better grade; as above.
BRAID_API double pair_loss(std::span<const Grade> grades, std::span<const double> scores,
                           std::span<double> gradient);

}  // namespace braid

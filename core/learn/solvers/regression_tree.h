// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Grows regression trees. docs/algorithms/regression.md section 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/model/forest.h"
#include "braid/error.h"

namespace braid {

/// A threshold between two neighbouring scores. Halfway, so that scores that are rounded otherwise
/// than in training fall on the same side.
inline double halfway(double below, double above) {
    const double middle = below + (above / 2 - below / 2);
    return middle < above ? middle : below;
}

struct TreeOptions {
    std::size_t depth = 6;
    double leaf = 5;  ///< Minimum weight of rows in a leaf.
};

/// Sorts the columns once for many trees. Borrows the scores. Reading is safe from several
/// threads.
class TreeGrower {
  public:
    /// `scores`: rows x width.
    TreeGrower(std::span<const double> scores, std::size_t width);

    /// Appends a tree, with weight 0, to the forest. Each of its splits, one after the other,
    /// reduces the weighted sum of squares most (1). `weights`: one a row, >= 0, how often it
    /// counts. O(rows width depth). Of equal splits the first ranker's, the lowest.
    void grow(std::span<const double> targets, std::span<const double> weights,
              const TreeOptions& options, ForestFunction& forest) const;

  private:
    std::span<const double> scores_;
    std::size_t width_;
    std::vector<std::uint32_t> order_;  // Rows by ascending score, for one column after the other.
};

}  // namespace braid

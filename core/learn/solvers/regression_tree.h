// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Grows regression trees; not installed. docs/algorithms/regression.md section 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/forest.h"

namespace braid {

struct TreeOptions {
    std::size_t depth = 6;
    double leaf = 5;  ///< The least weight of rows that a leaf has.
};

/// Sorts the columns once for many trees. Borrows the scores. Reading is safe from several
/// threads.
class BRAID_API TreeGrower {
  public:
    /// `scores`: rows x width.
    TreeGrower(std::span<const double> scores, std::size_t width);

    /// The tree whose splits, one after the other, take most off the weighted sum of squares
    /// (1); appended to the forest with weight 0. `weights` one a row, from 0 up: how often it
    /// counts. O(rows width depth). Of equal splits the first ranker's, the lowest.
    void grow(std::span<const double> targets, std::span<const double> weights,
              const TreeOptions& options, ForestFunction& forest) const;

  private:
    std::span<const double> scores_;
    std::size_t width_;
    std::vector<std::uint32_t> order_;  // Rows by score, ascending, a stretch a column.
};

}  // namespace braid

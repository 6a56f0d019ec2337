// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// A node of a regression tree: a leaf has no children and says `value`.
struct TreeNode {
    std::uint32_t ranker = 0;  ///< Whose score decides.
    double threshold = 0;      ///< At most this goes to `below`.
    std::uint32_t below = 0;   ///< Places among the forest's nodes; 0: a leaf.
    std::uint32_t above = 0;
    double value = 0;

    bool operator==(const TreeNode&) const = default;
};

/// Regression trees over the rankers' scores of one document, and what each counts.
struct ForestFunction {
    enum class Combination {
        kMean,    ///< The mean of what trees say.
        kMedian,  ///< Half of the weight says less, half more.
    };

    std::size_t rankers = 0;
    std::vector<TreeNode> nodes;       ///< All trees'; children stand after their parents.
    std::vector<std::uint32_t> roots;  ///< One a tree.
    std::vector<double> weights;       ///< One a tree, from 0 up, of sum 1.
    Combination combination = Combination::kMean;

    bool operator==(const ForestFunction&) const = default;
};

/// A document's score. O(trees depth), and trees log trees for a median. The function must be
/// valid.
BRAID_API double forest_score(const ForestFunction& function, std::span<const double> row);

/// Throws InvalidArgument where nodes don't make trees or a number is out of range.
BRAID_API void validate(const ForestFunction& function);

}  // namespace braid

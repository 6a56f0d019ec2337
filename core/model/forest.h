// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/error.h"

namespace braid {

/// A node of a regression tree. A leaf has no children and returns `value`.
struct TreeNode {
    std::uint32_t ranker = 0;  ///< The ranker whose score is compared.
    double threshold = 0;      ///< Scores up to this go to `below`.
    std::uint32_t below = 0;   ///< Indexes into the forest's nodes; 0: a leaf.
    std::uint32_t above = 0;
    double value = 0;

    bool operator==(const TreeNode&) const = default;
};

/// Regression trees over the rankers' scores of one document, with their weights.
struct ForestFunction {
    enum class Combination {
        kMean,    ///< Weighted mean of the trees' values.
        kMedian,  ///< Weighted median of the trees' values.
    };

    std::size_t rankers = 0;
    std::vector<TreeNode> nodes;       ///< Nodes of all trees, children after their parents.
    std::vector<std::uint32_t> roots;  ///< One a tree.
    std::vector<double> weights;       ///< One a tree, >= 0, of sum 1.
    Combination combination = Combination::kMean;

    bool operator==(const ForestFunction&) const = default;
};

/// A document's score. O(trees depth), for a median plus O(trees log trees). The function must be
/// valid.
double forest_score(const ForestFunction& function, std::span<const double> row);

/// Throws InvalidArgument if the nodes don't form trees or a number is out of range.
BRAID_API void validate(const ForestFunction& function);

}  // namespace braid

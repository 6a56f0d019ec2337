// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/forest.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {
namespace {

double tree_value(const ForestFunction& function, std::uint32_t root, std::span<const double> row) {
    const TreeNode* node = &function.nodes[root];
    while (node->below != 0) {
        node = &function.nodes[row[node->ranker] <= node->threshold ? node->below : node->above];
    }
    return node->value;
}

// The least value that, with all below it, has half of the weight.
double weighted_median(std::vector<std::pair<double, double>>& values) {
    std::sort(values.begin(), values.end());
    double all = 0;
    for (const auto& value : values) all += value.second;
    double sum = 0;
    for (const auto& [value, weight] : values) {
        sum += weight;
        if (2 * sum >= all) return value;
    }
    return values.empty() ? 0 : values.back().first;
}

[[noreturn]] void refuse(const std::string& problem) {
    throw InvalidArgument("forest: " + problem);
}

}  // namespace

double forest_score(const ForestFunction& function, std::span<const double> row) {
    if (function.combination == ForestFunction::Combination::kMedian) {
        std::vector<std::pair<double, double>> values;
        for (std::size_t t = 0; t < function.roots.size(); ++t) {
            values.push_back({tree_value(function, function.roots[t], row), function.weights[t]});
        }
        return weighted_median(values);
    }
    double sum = 0;
    for (std::size_t t = 0; t < function.roots.size(); ++t) {
        sum += function.weights[t] * tree_value(function, function.roots[t], row);
    }
    return sum;
}

void validate(const ForestFunction& function) {
    if (function.roots.empty() || function.roots.size() != function.weights.size()) {
        refuse(fmt::format("{} trees and {} weights, expected as many and at least one",
                           function.roots.size(), function.weights.size()));
    }
    for (std::size_t t = 0; t < function.roots.size(); ++t) {
        if (function.roots[t] >= function.nodes.size()) {
            refuse(fmt::format("tree {} begins at node {} of {}", t, function.roots[t],
                               function.nodes.size()));
        }
        if (function.weights[t] >= 0 && std::isfinite(function.weights[t])) continue;
        refuse(
            fmt::format("tree {} has weight {}, expected one from 0 up", t, function.weights[t]));
    }
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        const TreeNode& node = function.nodes[i];
        if (!std::isfinite(node.value) || !std::isfinite(node.threshold)) {
            refuse(fmt::format("node {} has a number that is not finite", i));
        }
        if (node.below == 0 && node.above == 0) continue;
        // Children after their parents: no walk can go round in circles.
        if (node.below <= i || node.above <= i || node.below >= function.nodes.size() ||
            node.above >= function.nodes.size() || node.ranker >= function.rankers) {
            refuse(fmt::format(
                "node {} has children {} and {} and ranker {}, of {} nodes and {} "
                "rankers",
                i, node.below, node.above, node.ranker, function.nodes.size(), function.rankers));
        }
    }
}

}  // namespace braid

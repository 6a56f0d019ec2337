// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/forest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/error.h"

// Equations are those of docs/algorithms/trees.md.

namespace braid {
namespace {

constexpr std::uint32_t kMostBits = 32;
constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

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

double linear_sum(const std::vector<double>& weights, const double* row) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * row[k];
    return sum;
}

[[noreturn]] void refuse(const std::string& problem) {
    throw InvalidArgument("forest: " + problem);
}

}  // namespace

double tree_value(const ForestFunction& function, std::uint32_t root, std::span<const double> row) {
    const TreeNode* node = &function.nodes[root];
    while (node->below != 0) {
        node = &function.nodes[row[node->ranker] <= node->threshold ? node->below : node->above];
    }
    return node->value;
}

void standardise(std::span<double> rows, std::size_t width) {
    const std::size_t count = width == 0 ? 0 : rows.size() / width;
    for (std::size_t k = 0; k < width; ++k) {
        double mean = 0;
        for (std::size_t i = k; i < rows.size(); i += width) {
            mean += rows[i] / static_cast<double>(count);
        }
        double squares = 0;
        double largest = 0;
        for (std::size_t i = k; i < rows.size(); i += width) {
            rows[i] -= mean;
            largest = std::max(largest, std::abs(rows[i]));
        }
        // Divided by the largest, squares neither overflow nor vanish.
        for (std::size_t i = k; largest > 0 && i < rows.size(); i += width) {
            squares += (rows[i] / largest) * (rows[i] / largest);
        }
        const double deviation = largest * std::sqrt(squares / static_cast<double>(count));
        // What is left of scores that are all alike is rounding.
        const bool is_constant = !(deviation > 1e-12 * std::abs(mean));
        for (std::size_t i = k; i < rows.size(); i += width) {
            rows[i] = is_constant ? 0 : rows[i] / deviation;
        }
    }
}

double forest_score(const ForestFunction& function, std::span<const double> row) {
    if (function.combination == ForestFunction::Combination::kMedian) {
        std::vector<std::pair<double, double>> values;
        for (std::size_t t = 0; t < function.roots.size(); ++t) {
            values.push_back({tree_value(function, function.roots[t], row), function.weights[t]});
        }
        return linear_sum(function.linear, row.data()) + weighted_median(values);
    }
    double sum = linear_sum(function.linear, row.data());
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
    if (!function.linear.empty() && function.linear.size() != function.rankers) {
        refuse(fmt::format("{} linear weights, expected none or one for each of {} rankers",
                           function.linear.size(), function.rankers));
    }
    for (const double weight : function.linear) {
        if (!std::isfinite(weight)) refuse("a linear weight is not finite");
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

namespace {

// Nodes of one tree in the order in which their scores rise: a tree's leaves from left to right.
template <typename Take>
void each_leaf(const ForestFunction& function, std::uint32_t root, const Take& take) {
    std::vector<std::uint32_t> open = {root};
    while (!open.empty()) {
        const std::uint32_t place = open.back();
        open.pop_back();
        const TreeNode& node = function.nodes[place];
        if (node.below == 0) {
            take(place);
        } else {
            open.push_back(node.above);
            open.push_back(node.below);
        }
    }
}

std::size_t count_leaves(const ForestFunction& function, std::uint32_t root) {
    std::size_t leaves = 0;
    each_leaf(function, root, [&](std::uint32_t) { ++leaves; });
    return leaves;
}

using FourInts = std::int32_t __attribute__((vector_size(16)));
using EightInts = std::int32_t __attribute__((vector_size(32)));

}  // namespace

// (10): a test keeps all leaves where the score is at or below the threshold, otherwise those that
// are not below it.
template <typename Lanes>
BRAID_INLINE void FlatForest::keep(const Test* tests, std::size_t count, const std::int32_t* places,
                                   std::uint32_t* leaves) {
    constexpr std::size_t kParts = kBlock * sizeof(std::int32_t) / sizeof(Lanes);
    constexpr std::size_t kWidth = kBlock / kParts;
    Lanes left[kParts];
    for (Lanes& part : left) part = Lanes{} - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t* at = places + tests[i].column * kBlock;
        const Lanes limit = Lanes{} + tests[i].place;
        const Lanes rest = Lanes{} + static_cast<std::int32_t>(tests[i].rest);
#pragma GCC unroll 8
        for (std::size_t part = 0; part < kParts; ++part) {
            Lanes place;
            std::memcpy(&place, at + part * kWidth, sizeof(Lanes));
            left[part] &= rest | static_cast<Lanes>(place <= limit);
        }
    }
    std::memcpy(leaves, left, sizeof(left));
}

void FlatForest::keep_baseline(const Test* tests, std::size_t count, const std::int32_t* places,
                               std::uint32_t* leaves) {
    keep<FourInts>(tests, count, places, leaves);
}

BRAID_AVX2 void FlatForest::keep_avx2(const Test* tests, std::size_t count,
                                      const std::int32_t* places, std::uint32_t* leaves) {
    keep<EightInts>(tests, count, places, leaves);
}

FlatForest::FlatForest(const ForestFunction& function, InstructionLevel level)
    : width_(function.rankers),
      is_median_(function.combination == ForestFunction::Combination::kMedian),
      linear_(function.linear),
      keep_(has_avx2(level) ? keep_avx2 : keep_baseline) {
    add_columns(function);
    for (std::size_t t = 0; t < function.roots.size(); ++t) {
        const std::uint32_t root = function.roots[t];
        Tree tree{.is_small = count_leaves(function, root) <= kMostBits,
                  .begin = 0,
                  .end = 0,
                  .values = static_cast<std::uint32_t>(values_.size()),
                  .weight = function.weights[t]};
        tree.begin = static_cast<std::uint32_t>(tree.is_small ? tests_.size() : nodes_.size());
        const double factor = is_median_ ? 1 : tree.weight;
        tree.is_small ? add_small(function, root, factor) : add_large(function, root, factor);
        tree.end = static_cast<std::uint32_t>(tree.is_small ? tests_.size() : nodes_.size());
        trees_.push_back(tree);
    }
}

void FlatForest::add_columns(const ForestFunction& function) {
    std::vector<std::vector<double>> thresholds(width_);
    for (const TreeNode& node : function.nodes) {
        if (node.below != 0) thresholds[node.ranker].push_back(node.threshold);
    }
    column_of_.assign(width_, kUnused);
    for (std::uint32_t k = 0; k < width_; ++k) {
        std::vector<double>& all = thresholds[k];
        if (all.empty()) continue;
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        column_of_[k] = static_cast<std::uint32_t>(columns_.size());
        const auto begin = static_cast<std::uint32_t>(thresholds_.size());
        thresholds_.insert(thresholds_.end(), all.begin(), all.end());
        columns_.push_back({k, begin, static_cast<std::uint32_t>(thresholds_.size())});
    }
}

std::int32_t FlatForest::place_of(std::uint32_t column, double threshold) const {
    const auto begin = thresholds_.begin() + columns_[column].begin;
    const auto end = thresholds_.begin() + columns_[column].end;
    return static_cast<std::int32_t>(std::lower_bound(begin, end, threshold) - begin);
}

void FlatForest::add_small(const ForestFunction& function, std::uint32_t root, double weight) {
    std::uint32_t leaf = 0;
    const auto walk = [&](const auto& self, std::uint32_t place) -> std::uint32_t {
        const TreeNode& node = function.nodes[place];
        if (node.below == 0) {
            values_.push_back(weight * node.value);
            return std::uint32_t{1} << leaf++;
        }
        const std::uint32_t below = self(self, node.below);
        const std::uint32_t column = column_of_[node.ranker];
        tests_.push_back({column, place_of(column, node.threshold), ~below});
        return below | self(self, node.above);
    };
    walk(walk, root);
}

void FlatForest::add_large(const ForestFunction& function, std::uint32_t root, double weight) {
    const auto base = static_cast<std::uint32_t>(nodes_.size());
    // Breadth first, so that the nodes that most documents pass lie together.
    std::vector<std::uint32_t> order = {root};
    std::int32_t leaves = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const TreeNode& node = function.nodes[order[i]];
        if (node.below == 0) {
            values_.push_back(weight * node.value);
            nodes_.push_back({0, leaves++, 0, 0});
            continue;
        }
        const std::uint32_t column = column_of_[node.ranker];
        const auto below = base + static_cast<std::uint32_t>(order.size());
        nodes_.push_back({column, place_of(column, node.threshold), below, below + 1});
        order.push_back(node.below);
        order.push_back(node.above);
    }
}

// (9): how many thresholds lie below each score. All documents halve their ranges together, without
// jumps, so that none waits for another.
void FlatForest::find_places(const double* rows, std::size_t count, std::int32_t* places) const {
    double scores[kBlock] = {};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double* const first = thresholds_.data() + columns_[c].begin;
        const std::uint32_t size = columns_[c].end - columns_[c].begin;
        std::uint32_t at[kBlock] = {};
        for (std::size_t d = 0; d < count; ++d) scores[d] = rows[d * width_ + columns_[c].ranker];
        for (std::uint32_t rest = size; rest > 1; rest -= rest / 2) {
            const double* const middle = first + rest / 2 - 1;
            for (std::size_t d = 0; d < kBlock; ++d) {
                at[d] += (rest / 2) & -static_cast<std::uint32_t>(middle[at[d]] < scores[d]);
            }
        }
        for (std::size_t d = 0; d < kBlock; ++d) {
            at[d] += first[at[d]] < scores[d] ? 1 : 0;
            places[c * kBlock + d] = static_cast<std::int32_t>(at[d]);
        }
    }
}

void FlatForest::leaves_of(const Tree& tree, const std::int32_t* places,
                           std::uint32_t* leaves) const {
    if (tree.is_small) {
        keep_(tests_.data() + tree.begin, tree.end - tree.begin, places, leaves);
        // One bit at least is left.
        for (std::size_t d = 0; d < kBlock; ++d) {
            leaves[d] = static_cast<std::uint32_t>(__builtin_ctz(leaves[d]));
        }
        return;
    }
    for (std::size_t d = 0; d < kBlock; ++d) {
        const Node* node = &nodes_[tree.begin];
        while (node->below != 0) {
            const bool is_above = places[node->column * kBlock + d] > node->place;
            node = &nodes_[is_above ? node->above : node->below];
        }
        leaves[d] = static_cast<std::uint32_t>(node->place);
    }
}

void FlatForest::score(std::span<const double> rows, std::span<double> scores) const {
    std::vector<std::int32_t> places(columns_.size() * kBlock);
    std::vector<std::pair<double, double>> ballots;
    std::vector<double> values(is_median_ ? trees_.size() * kBlock : 0);
    std::uint32_t leaves[kBlock];
    double sums[kBlock] = {};
    for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
        const std::size_t count = std::min(kBlock, scores.size() - begin);
        const double* block = rows.data() + begin * width_;
        find_places(block, count, places.data());
        for (std::size_t d = 0; d < count; ++d) sums[d] = linear_sum(linear_, block + d * width_);
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            // Beyond `count` places and sums are left over, and of no matter.
            leaves_of(trees_[t], places.data(), leaves);
            const double* leaf_values = values_.data() + trees_[t].values;
            double* to = is_median_ ? values.data() + t * kBlock : sums;
            if (is_median_) std::fill(to, to + kBlock, 0);
            for (std::size_t d = 0; d < kBlock; ++d) to[d] += leaf_values[leaves[d]];
        }
        for (std::size_t d = 0; is_median_ && d < count; ++d) {
            ballots.clear();
            for (std::size_t t = 0; t < trees_.size(); ++t) {
                ballots.push_back({values[t * kBlock + d], trees_[t].weight});
            }
            sums[d] += weighted_median(ballots);
        }
        std::copy(sums, sums + count, scores.begin() + static_cast<std::ptrdiff_t>(begin));
    }
}

}  // namespace braid

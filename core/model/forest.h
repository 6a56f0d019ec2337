// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/simd.h"
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
        kMean,    ///< Weighted sum of the trees' values: their mean if the weights sum to 1.
        kMedian,  ///< Weighted median of the trees' values.
    };

    std::size_t rankers = 0;
    std::vector<TreeNode> nodes;       ///< Nodes of all trees, children after their parents.
    std::vector<std::uint32_t> roots;  ///< One a tree.
    std::vector<double> weights;       ///< One a tree, >= 0.
    Combination combination = Combination::kMean;
    /// Empty, or one weight a ranker: their weighted sum is added to what the trees give. It ranks
    /// in one pass, without the trees, if no weight is negative.
    std::vector<double> linear = {};
    /// Trees compare standardised scores, the linear part the scores themselves.
    bool standardised = false;

    bool operator==(const ForestFunction&) const = default;
};

/// Takes the pool's mean off each ranker's scores and divides by their standard deviation; scores
/// that are all alike become 0. `rows`: any number x width.
void standardise(std::span<double> rows, std::size_t width);

/// A document's score, tree after tree and node after node: what FlatForest must give. The function
/// must be valid, and the row as its trees compare it.
double forest_score(const ForestFunction& function, std::span<const double> row);

/// What one tree gives a row. The same.
double tree_value(const ForestFunction& function, std::uint32_t root, std::span<const double> row);

/// Throws InvalidArgument if the nodes don't form trees or a number is out of range.
BRAID_API void validate(const ForestFunction& function);

/// A forest laid out to score many documents; docs/algorithms/trees.md, section 3. Making one costs
/// O(nodes log nodes). Immutable, so threads may share it.
class FlatForest {
  public:
    /// The function must be valid. All levels give the same bits.
    explicit FlatForest(const ForestFunction& function,
                        InstructionLevel level = best_instruction_level());

    /// The bits of `forest_score` for each row. `rows`: scores.size() x rankers.
    void score(std::span<const double> rows, std::span<double> scores) const;

  private:
    static constexpr std::size_t kBlock = 32;  ///< Documents that go through a tree together.

    /// A ranker that is compared with anything, and its thresholds, ascending.
    struct Column {
        std::uint32_t ranker;
        std::uint32_t begin;
        std::uint32_t end;
    };
    /// Is a score beyond the threshold of that place, the leaves below the test drop out.
    struct Test {
        std::uint32_t column;
        std::int32_t place;
        std::uint32_t rest;  ///< A bit for each leaf that stays.
    };
    /// The nodes of a tree with too many leaves for the bits of a test.
    struct Node {
        std::uint32_t column;
        std::int32_t place;
        std::uint32_t below;  ///< Both 0 for a leaf, whose place is that of its value.
        std::uint32_t above;
    };
    struct Tree {
        bool is_small;
        std::uint32_t begin;   ///< In `tests_` or `nodes_`.
        std::uint32_t end;     ///< Likewise.
        std::uint32_t values;  ///< In `values_`, from the lowest leaf on.
        double weight;
    };
    using Keep = void (*)(const Test* tests, std::size_t count, const std::int32_t* places,
                          std::uint32_t* leaves);

    template <typename Lanes>
    static void keep(const Test* tests, std::size_t count, const std::int32_t* places,
                     std::uint32_t* leaves);
    static void keep_baseline(const Test* tests, std::size_t count, const std::int32_t* places,
                              std::uint32_t* leaves);
    static void keep_avx2(const Test* tests, std::size_t count, const std::int32_t* places,
                          std::uint32_t* leaves);

    void add_columns(const ForestFunction& function);
    std::int32_t place_of(std::uint32_t column, double threshold) const;
    void add_small(const ForestFunction& function, std::uint32_t root, double weight);
    void add_large(const ForestFunction& function, std::uint32_t root, double weight);
    void find_places(const double* rows, std::size_t count, std::int32_t* places) const;
    void leaves_of(const Tree& tree, const std::int32_t* places, std::uint32_t* leaves) const;

    std::size_t width_;
    bool is_median_;
    std::vector<double> linear_;
    Keep keep_;
    std::vector<Column> columns_;
    std::vector<std::uint32_t> column_of_;  ///< By ranker.
    std::vector<double> thresholds_;
    std::vector<Tree> trees_;
    std::vector<Test> tests_;
    std::vector<Node> nodes_;
    /// Leaves' values, times their tree's weight unless the median counts.
    std::vector<double> values_;
};

}  // namespace braid

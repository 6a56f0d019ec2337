// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/forest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/base/simd.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using Values = std::vector<double>;

// A tree of so many leaves with thresholds that scores meet exactly.
void add_tree(Random& random, std::size_t leaves, ForestFunction& forest) {
    const auto root = static_cast<std::uint32_t>(forest.nodes.size());
    forest.roots.push_back(root);
    forest.weights.push_back(random.uniform());
    forest.nodes.emplace_back();
    std::vector<std::uint32_t> open = {root};
    while (open.size() < leaves) {
        const std::size_t i = random.below(open.size());
        const auto next = static_cast<std::uint32_t>(forest.nodes.size());
        forest.nodes.resize(next + 2);
        TreeNode& node = forest.nodes[open[i]];
        node.ranker = static_cast<std::uint32_t>(random.below(forest.rankers));
        node.threshold = std::floor(8 * random.uniform()) / 4 - 1;
        node.below = next;
        node.above = next + 1;
        open[i] = next;
        open.push_back(next + 1);
    }
    for (const std::uint32_t leaf : open) forest.nodes[leaf].value = random.normal();
}

ForestFunction random_forest(Random& random, const std::vector<std::size_t>& leaves) {
    ForestFunction forest;
    forest.rankers = 5;
    for (const std::size_t count : leaves) add_tree(random, count, forest);
    return forest;
}

Values random_rows(Random& random, std::size_t rows, std::size_t width) {
    Values scores;
    for (std::size_t i = 0; i < rows * width; ++i) {
        // Thresholds themselves, their neighbours, and numbers far from all.
        const double base = std::floor(8 * random.uniform()) / 4 - 1;
        const std::uint64_t kind = random.below(5);
        scores.push_back(kind == 0   ? base
                         : kind == 1 ? std::nextafter(base, 2)
                         : kind == 2 ? std::nextafter(base, -2)
                         : kind == 3 ? 1e300 * base
                                     : random.normal());
    }
    return scores;
}

}  // namespace

TEST_CASE("Flat forest: the bits of a walk from node to node", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        Random random(braid::test::seed() + i);
        ForestFunction forest = random_forest(random, {1, 2, 31, 32, 33, 100, 7});
        if (i % 2 == 1) forest.combination = ForestFunction::Combination::kMedian;
        if (i % 3 == 1) {
            for (std::size_t k = 0; k < forest.rankers; ++k) {
                forest.linear.push_back(random.normal());
            }
        }
        REQUIRE_NOTHROW(validate(forest));
        for (const std::size_t rows : {0U, 1U, 31U, 32U, 33U, 100U}) {
            const Values scores = random_rows(random, rows, forest.rankers);
            for (const InstructionLevel level : kInstructionLevels) {
                if (!is_supported(level)) continue;
                Values got(rows);
                FlatForest(forest, level).score(scores, got);
                for (std::size_t d = 0; d < rows; ++d) {
                    const auto row =
                        std::span<const double>(scores).subspan(d * forest.rankers, forest.rankers);
                    REQUIRE(got[d] == forest_score(forest, row));
                }
            }
        }
    }
}

TEST_CASE("Flat forest: by hand") {
    ForestFunction forest;
    forest.rankers = 2;
    forest.nodes = {{.ranker = 1, .threshold = 0.5, .below = 1, .above = 2},
                    {.value = -1},
                    {.ranker = 0, .threshold = 3, .below = 3, .above = 4},
                    {.value = 2},
                    {.value = 8}};
    forest.roots = {0};
    forest.weights = {0.5};
    forest.linear = {10, 0};
    Values scores(3);
    FlatForest(forest).score(Values{1, 0.5, 3, 0.6, 4, 0.6}, scores);
    CHECK(scores == Values{10 - 0.5, 30 + 1, 40 + 4});
}

TEST_CASE("Flat forest: steps are trees, with the same bits", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        Random random(braid::test::seed() + i);
        StepFunction steps{.width = 5};
        for (std::size_t s = 0; s < 40 * i; ++s) {
            steps.rankers.push_back(random.below(5));
            steps.thresholds.push_back(random.normal());
            steps.rises.push_back(random.normal());
        }
        steps = tidy(steps);
        const ForestFunction trees = trees_of(steps);
        if (i > 0) REQUIRE_NOTHROW(validate(trees));
        const Values rows = random_rows(random, 50, 5);
        Values got(50);
        FlatForest(trees).score(rows, got);
        for (std::size_t d = 0; d < 50; ++d) {
            double sum = 0;
            for (std::size_t k = 0; k < 5; ++k) {
                double height = 0;
                for (std::size_t s = 0; s < steps.rankers.size(); ++s) {
                    if (steps.rankers[s] == k && rows[d * 5 + k] > steps.thresholds[s]) {
                        height += steps.rises[s];
                    }
                }
                sum += height;
            }
            REQUIRE(got[d] == sum);
        }
    }
}

TEST_CASE("Forest: trees compare standardised scores, the linear part the scores themselves") {
    TrainingSet set;
    set.rankers = {"a", "b"};
    set.queries = {"1", "2"};
    set.query_begin = {0, 3, 5};
    set.scores = {1, 10, 2, 10, 6, 10, 100, 3, 200, 5};
    set.grades = {0, 0, 1, 0, 0};
    ForestFunction forest;
    forest.rankers = 2;
    forest.nodes = {{.ranker = 0, .threshold = 0, .below = 1, .above = 2}, {}, {.value = 7}};
    forest.roots = {0};
    forest.weights = {1};
    forest.linear = {0, 1};
    forest.standardised = true;
    Values scores(3);
    score_pool(forest, set, 0, scores);
    CHECK(scores == Values{10, 10, 17});
    Values others(2);
    score_pool(forest, set, 1, others);
    CHECK(others == Values{3, 12});
    // Mean 3, variance 14/3; equal scores become 0, and so do those that differ by rounding only.
    const TrainingSet rows = standardised(set);
    CHECK(rows.scores[0] == Approx(-2 / std::sqrt(14.0 / 3)).epsilon(1e-14));
    CHECK(rows.scores[4] == Approx(3 / std::sqrt(14.0 / 3)).epsilon(1e-14));
    CHECK(rows.scores[1] == 0);
    CHECK(rows.scores[6] == -1);
    Values alike = {0.1, 0.2, 0.3};
    alike.assign(3, 0.1 + 0.2);
    alike[1] = 0.3;
    standardise(alike, 1);
    CHECK(alike == Values(3, 0));
    Values large = {1e300, -1e300};
    standardise(large, 1);
    CHECK(large == Values{1, -1});
}

TEST_CASE("Forest: a linear part must fit") {
    Random random(braid::test::seed());
    ForestFunction forest = random_forest(random, {3});
    forest.linear = {1, 2};
    CHECK_THROWS_WITH(validate(forest),
                      Contains("2 linear weights, expected none or one for each"));
    forest.linear.assign(5, std::numeric_limits<double>::infinity());
    CHECK_THROWS_WITH(validate(forest), Contains("a linear weight is not finite"));
}

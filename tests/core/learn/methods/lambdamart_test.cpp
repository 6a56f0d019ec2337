// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/histogram_trees.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/planted_queries.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options = {},
                   std::size_t threads = 1) {
    return fit_learner("lambdamart", set, options, *make_executor(threads));
}

std::vector<std::uint32_t> all_of(std::size_t count) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

struct Grown {
    ForestFunction forest;
    Values sums;
    bool grew = false;
};

Grown grow(const Values& scores, std::size_t width, const std::vector<RowSlope>& slopes,
           const GrowthOptions& options, std::vector<std::uint32_t> sample = {},
           std::vector<std::uint32_t> columns = {}, std::size_t bins = 256,
           std::size_t threads = 1) {
    const auto executor = make_executor(threads);
    const BinnedScores rows(scores, width, bins, *executor);
    HistogramTrees trees(rows, *executor);
    Grown result;
    result.forest.rankers = width;
    result.sums.assign(slopes.size(), 0);
    if (sample.empty()) sample = all_of(slopes.size());
    if (columns.empty()) columns = all_of(width);
    result.grew = trees.grow(slopes, sample, columns, options, result.forest, result.sums);
    return result;
}

// What the loss falls by at best in a leaf of these rows.
double fall_of(const std::vector<RowSlope>& slopes, const std::vector<std::size_t>& rows,
               double l2) {
    double gradient = 0;
    double curvature = l2;
    for (const std::size_t row : rows) {
        gradient += slopes[row].gradient;
        curvature += slopes[row].curvature;
    }
    return gradient * gradient / curvature / 2;
}

std::vector<RowSlope> random_slopes(Random& random, std::size_t rows) {
    std::vector<RowSlope> slopes;
    for (std::size_t i = 0; i < rows; ++i) slopes.push_back({random.normal(), random.uniform()});
    return slopes;
}

}  // namespace

TEST_CASE("Histogram trees: the first cut is the best there is", "[property]") {
    for (std::uint64_t i = 0; i < 30; ++i) {
        Random random(seed() + i);
        const std::size_t rows = 60;
        Values x;
        for (std::size_t d = 0; d < 3 * rows; ++d) x.push_back(std::floor(12 * random.uniform()));
        const std::vector<RowSlope> slopes = random_slopes(random, rows);
        const Grown tree = grow(x, 3, slopes, {.leaves = 2, .least_rows = 4, .l2 = 0.5, .step = 1});
        REQUIRE(tree.grew);
        double best = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t cut = 0; cut < rows; ++cut) {
                std::vector<std::size_t> below;
                std::vector<std::size_t> above;
                for (std::size_t d = 0; d < rows; ++d) {
                    (x[d * 3 + k] <= x[cut * 3 + k] ? below : above).push_back(d);
                }
                if (below.size() < 4 || above.size() < 4) continue;
                best = std::max(best, fall_of(slopes, below, 0.5) + fall_of(slopes, above, 0.5));
            }
        }
        std::vector<std::size_t> below;
        std::vector<std::size_t> above;
        for (std::size_t d = 0; d < rows; ++d) {
            const TreeNode& root = tree.forest.nodes[0];
            (x[d * 3 + root.ranker] <= root.threshold ? below : above).push_back(d);
        }
        CHECK(fall_of(slopes, below, 0.5) + fall_of(slopes, above, 0.5) ==
              Approx(best).epsilon(1e-9));
        for (std::size_t d = 0; d < rows; ++d) {
            CHECK(tree.sums[d] ==
                  forest_score(tree.forest, std::span<const double>(x).subspan(3 * d, 3)));
        }
    }
}

TEST_CASE("Histogram trees: by hand") {
    // Newton's step of a leaf is the mean of what its rows want.
    const Values x = {1, 2, 3, 4, 5, 6};
    const std::vector<RowSlope> slopes = {{0, 1}, {0, 1}, {0, 1}, {-6, 1}, {-8, 1}, {-8, 1}};
    const Grown two = grow(x, 1, slopes, {.leaves = 2, .least_rows = 1, .l2 = 0, .step = 1});
    REQUIRE(two.forest.nodes.size() == 3);
    CHECK(two.forest.nodes[0].threshold == 3.5);
    CHECK(two.sums[0] == 0);
    CHECK(two.sums[5] == Approx(22.0 / 3).epsilon(1e-9));
    const Grown three = grow(x, 1, slopes, {.leaves = 9, .least_rows = 1, .l2 = 0, .step = 0.5});
    CHECK(three.forest.nodes.size() == 5);
    CHECK(three.sums[3] == Approx(3).epsilon(1e-9));
    CHECK(three.sums[4] == Approx(4).epsilon(1e-9));
    // Two rows at least: the last three stay together.
    CHECK(grow(x, 1, slopes, {.leaves = 9, .least_rows = 2, .l2 = 0}).forest.nodes.size() == 3);
    // Falling where it must not, and nothing to gain.
    std::vector<RowSlope> falling = slopes;
    std::reverse(falling.begin(), falling.end());
    CHECK(grow(x, 1, falling, {.leaves = 2, .least_rows = 1}).grew);
    CHECK_FALSE(grow(x, 1, falling, {.leaves = 2, .least_rows = 1, .rising = true}).grew);
    CHECK_FALSE(grow(x, 1, std::vector<RowSlope>(6, {1, 1}), {.leaves = 2, .l2 = 0}).grew);
    CHECK_FALSE(grow(Values(6, 3), 1, slopes, {.leaves = 2, .least_rows = 1}).grew);
}

TEST_CASE("Histogram trees: samples, columns, few bins", "[property]") {
    for (std::uint64_t i = 0; i < 10; ++i) {
        Random random(seed() + i);
        const std::size_t rows = 200;
        Values x;
        for (std::size_t d = 0; d < 4 * rows; ++d) x.push_back(random.normal());
        const std::vector<RowSlope> slopes = random_slopes(random, rows);
        std::vector<std::uint32_t> sample;
        for (std::uint32_t row = 0; row < rows; ++row) {
            if (random.below(3) > 0) sample.push_back(row);
        }
        const GrowthOptions options{.leaves = 9, .least_rows = 5, .l2 = 1, .step = 0.25};
        const Grown one = grow(x, 4, slopes, options, sample, {1, 3}, 16);
        REQUIRE(one.grew);
        for (const TreeNode& node : one.forest.nodes) {
            if (node.below != 0) CHECK((node.ranker == 1 || node.ranker == 3));
        }
        for (std::size_t d = 0; d < rows; ++d) {
            CHECK(one.sums[d] ==
                  forest_score(one.forest, std::span<const double>(x).subspan(4 * d, 4)));
        }
        for (const std::size_t threads : {2U, 5U}) {
            const Grown other = grow(x, 4, slopes, options, sample, {1, 3}, 16, threads);
            CHECK(other.forest == one.forest);
            CHECK(other.sums == one.sums);
        }
    }
}

TEST_CASE("lambdamart: rising trees never fall", "[property]") {
    const TrainingSet set = random_training(
        seed(), {.queries = 30, .documents = 60, .rankers = 3, .relevant = 15, .signal = -0.2});
    LearnerOptions options;
    options.parameters = {{"trees", 40}, {"leaves", 12}, {"leaf", 5}};
    options.choices = {{"monotone", "rising"}};
    const auto forest = std::get<ForestFunction>(fit(set, options).function);
    REQUIRE(forest.nodes.size() > 100);
    Random random(seed());
    for (int i = 0; i < 2000; ++i) {
        Values low;
        for (int k = 0; k < 3; ++k) low.push_back(2 * random.uniform() - 0.5);
        Values high = low;
        high[random.below(3)] += random.uniform();
        REQUIRE(forest_score(forest, high) >= forest_score(forest, low));
    }
    options.choices = {};
    const auto free = std::get<ForestFunction>(fit(set, options).function);
    CHECK(forest_score(free, Values{0.1, 0.5, 0.1}) > forest_score(free, Values{0.9, 0.5, 0.9}));
}

// Which ranker knows is told by a third one: no sum of weights can say that.
TEST_CASE("lambdamart: learns what weights can't") {
    const auto planted = [](std::uint64_t from) {
        TrainingSet set = planted_set(from, true, 120);
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            for (std::size_t row = set.query_begin[q]; row < set.query_begin[q + 1]; ++row) {
                set.scores[3 * row + 2] = set.query_features[2 * q];
            }
        }
        return set;
    };
    const TrainingSet set = planted(seed());
    const TrainingSet unseen = planted(seed() + 1);
    const TrainingMeasure measure(unseen, "map");
    const auto executor = make_executor(1);
    const double trees = measure.mean(fit(set).function);
    const double weights = measure.mean(fit_learner("coordinate", set, {}, *executor).function);
    CHECK(trees > weights + 0.05);
}

TEST_CASE("lambdamart: validation chooses the number of trees") {
    const TrainingSet set = random_training(seed(), {.queries = 30, .signal = 0.05});
    const TrainingSet unseen = random_training(seed() + 1, {.queries = 30, .signal = 0.05});
    LearnerOptions options;
    options.validation = &unseen;
    options.watched = {&unseen};
    options.parameters = {{"patience", 10}, {"leaf", 3}};
    const TrainingResult result = fit(set, options);
    CHECK(result.stop_reason == "no better on the validation part");
    CHECK(result.iterations < 300);
    double best = -1;
    std::size_t at = 0;
    for (const CurvePoint& point : result.curve) {
        CHECK(point.watched == std::vector<double>{*point.validation});
        if (*point.validation > best) {
            best = *point.validation;
            at = point.iteration;
        }
    }
    const TrainingMeasure measure(unseen, "map");
    CHECK(measure.mean(result.function) == Approx(best).epsilon(1e-12));
    CHECK(std::get<ForestFunction>(result.function).roots.size() == std::max<std::size_t>(at, 1));
    const TrainingMeasure of_training(set, "map");
    CHECK(of_training.mean(result.function) == Approx(result.objective).epsilon(1e-12));
}

// Rankers a and b know together: their product, which no sum of weights has.
TEST_CASE("mixed: trees stand beside weights where held-out queries gain") {
    const auto made = [](std::uint64_t from, bool together) {
        TrainingSet set = random_training(from, {.queries = 60, .documents = 50, .rankers = 2});
        Random random(from, 3);
        for (std::size_t row = 0; row < set.rows(); ++row) {
            const double a = random.normal();
            const double b = random.normal();
            set.scores[2 * row] = a;
            set.scores[2 * row + 1] = b;
            const double knows = together ? 3 * std::min(a, b) : 2 * a + b;
            set.grades[row] = knows + 0.5 * random.normal() > (together ? 0.5 : 3) ? 1 : 0;
        }
        return set;
    };
    const auto executor = make_executor(1);
    for (const char* learner : {"mixed", "auto"}) {
        INFO(learner);
        const TrainingSet together = made(seed(), true);
        const TrainingSet unseen = made(seed() + 1, true);
        LearnerOptions options;
        if (std::string(learner) == "auto") options.choices = {{"trees", "try"}};
        const TrainingResult mixed = fit_learner(learner, together, options, *executor);
        REQUIRE(std::holds_alternative<ForestFunction>(mixed.function));
        const auto& forest = std::get<ForestFunction>(mixed.function);
        CHECK(forest.standardised);
        CHECK(forest.linear.size() == 2);
        CHECK_THAT(mixed.stop_reason, Contains("40 trees beside the weights (gain on 60"));
        const TrainingMeasure measure(unseen, "map");
        CHECK(measure.mean(mixed.function) > measure.mean(LinearFunction{forest.linear}) + 0.01);
        // Where weights say it all, there are no trees.
        const TrainingResult plain = fit_learner(learner, made(seed(), false), options, *executor);
        if (std::holds_alternative<LinearFunction>(plain.function)) {
            CHECK_THAT(plain.stop_reason, Contains("no trees beside the weights (gain on"));
        }
        const TrainingResult two = fit_learner(learner, together, options, *make_executor(2));
        CHECK(two.function == mixed.function);
    }
    const TrainingResult plain = fit_learner("auto", made(seed(), true), {}, *executor);
    CHECK(std::holds_alternative<LinearFunction>(plain.function));
}

TEST_CASE("mixed: trees learn from what the weights put first") {
    TrainingSet set = random_training(seed(), {.queries = 30, .documents = 400, .rankers = 2});
    Random random(seed(), 3);
    for (std::size_t row = 0; row < set.rows(); ++row) {
        const double a = random.normal();
        const double b = random.normal();
        set.scores[2 * row] = a;
        set.scores[2 * row + 1] = b;
        set.grades[row] = std::min(a, b) + 0.2 * random.normal() > 1 ? 1 : 0;
    }
    const std::vector<double> weights = {0.5, 0.5};
    const auto executor = make_executor(1);
    LearnerOptions options;
    const auto mixed = [&](const TrainingSet& judged) {
        const braid::MixedTrees result =
            braid::mix_with_trees(judged, weights, [&](const TrainingSet&) { return weights; },
                                  options, {}, *executor, {});
        REQUIRE(result.trees == 40);
        return std::get<ForestFunction>(result.function);
    };
    // For each query a relevant document among the last, and then among the first.
    const auto with = [&](std::size_t rank) {
        TrainingSet other = set;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            std::vector<std::size_t> rows(set.pool_size(q));
            std::iota(rows.begin(), rows.end(), set.query_begin[q]);
            std::sort(rows.begin(), rows.end(), [&](std::size_t i, std::size_t j) {
                return set.row(i)[0] + set.row(i)[1] > set.row(j)[0] + set.row(j)[1];
            });
            for (std::size_t i = 150; i < rows.size(); ++i) other.grades[rows[i]] = 0;
            other.grades[rows[rank]] = 1;
        }
        return mixed(other);
    };
    const ForestFunction late = with(390);
    CHECK(with(151).nodes == late.nodes);
    CHECK_FALSE(with(149).nodes == late.nodes);
}

TEST_CASE("lambdamart: every measure can be learned") {
    const TrainingSet set = random_training(
        seed(), {.queries = 20, .documents = 30, .relevant = 8, .highest_grade = 2, .signal = 0.1});
    for (const char* name : {"map", "ndcg@10", "p@5", "mrr", "err@10", "wta", "bpref", "rprec"}) {
        INFO(name);
        LearnerOptions options;
        options.measure = name;
        options.parameters = {{"trees", 30}};
        const TrainingResult result = fit(set, options);
        // Before the first tree all documents tie, and relevant ones stand first. One tree can be
        // all that it takes.
        const double first = result.curve[1].objective;
        CHECK((result.curve.back().objective > first || first == 1));
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Dense>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/regression_tree.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(threads));
}

ForestFunction one_tree(const Values& scores, std::size_t width, const Values& targets,
                        const Values& weights, const TreeOptions& options) {
    ForestFunction forest;
    forest.rankers = width;
    braid::TreeGrower(scores, width).grow(targets, weights, options, forest);
    forest.weights = {1};
    return forest;
}

double squares(const Values& y, const Values& w, const std::vector<std::size_t>& rows) {
    double weight = 0;
    double mean = 0;
    double sum = 0;
    for (const std::size_t i : rows) weight += w[i];
    for (const std::size_t i : rows) mean += w[i] * y[i] / weight;
    for (const std::size_t i : rows) sum += w[i] * (y[i] - mean) * (y[i] - mean);
    return sum;
}

// The best single split there is, by trying all.
double best_split(const Values& x, std::size_t width, const Values& y, const Values& w,
                  double leaf) {
    double best = 1e300;
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            std::vector<std::size_t> below;
            std::vector<std::size_t> above;
            double weight_below = 0;
            double weight_above = 0;
            for (std::size_t j = 0; j < y.size(); ++j) {
                const bool is_below = x[j * width + k] <= x[i * width + k];
                (is_below ? below : above).push_back(j);
                (is_below ? weight_below : weight_above) += w[j];
            }
            if (weight_below < leaf || weight_above < leaf) continue;
            best = std::min(best, squares(y, w, below) + squares(y, w, above));
        }
    }
    return best;
}

}  // namespace

TEST_CASE("Regression tree: the first split is the best there is", "[property]") {
    for (std::uint64_t i = 0; i < 30; ++i) {
        braid::Random random(braid::test::seed() + i);
        const std::size_t rows = 20;
        Values x;
        Values y;
        Values w;
        for (std::size_t d = 0; d < rows; ++d) {
            for (int k = 0; k < 3; ++k) x.push_back(std::floor(6 * random.uniform()));
            y.push_back(random.normal());
            w.push_back(i % 2 == 0 ? 1 : std::floor(3 * random.uniform()));
        }
        const ForestFunction tree = one_tree(x, 3, y, w, {.depth = 1, .leaf = 3});
        double error = 0;
        for (std::size_t d = 0; d < rows; ++d) {
            const double step =
                y[d] - braid::forest_score(tree, std::span<const double>(x).subspan(3 * d, 3));
            error += w[d] * step * step;
        }
        CHECK(error == Approx(best_split(x, 3, y, w, 3)).epsilon(1e-10));
        CHECK_NOTHROW(braid::validate(tree));
    }
}

TEST_CASE("Regression tree: by hand") {
    const Values x = {1, 2, 3, 4, 5, 6};
    const Values y = {0, 0, 0, 6, 8, 8};
    const Values even(6, 1);
    const ForestFunction tree = one_tree(x, 1, y, even, {.depth = 2, .leaf = 1});
    const auto says = [&](double score) { return braid::forest_score(tree, Values{score}); };
    CHECK(says(-5) == 0);
    CHECK(says(3) == 0);
    CHECK(says(3.49) == 0);
    CHECK(says(3.51) == 6);
    CHECK(says(4) == 6);
    CHECK(says(100) == 8);
    CHECK(tree.nodes.size() == 5);
    // Leaves of three rows; targets all alike are not split.
    CHECK(one_tree(x, 1, y, even, {.depth = 9, .leaf = 3}).nodes.size() == 3);
    CHECK(one_tree(x, 1, Values(6, 0.1), even, {.depth = 9, .leaf = 1}).nodes.size() == 1);
    // A row of weight 0 is not there: the threshold is halfway from 3 to 5.
    const ForestFunction without =
        one_tree(x, 1, y, Values{1, 1, 1, 0, 1, 1}, {.depth = 1, .leaf = 1});
    CHECK(braid::forest_score(without, Values{3.9}) == 0);
    CHECK(braid::forest_score(without, Values{4.1}) == 8);
    ForestFunction median = tree;
    for (int i = 0; i < 2; ++i) {
        median.nodes.push_back({.value = 7.0 + i});
        median.roots.push_back(static_cast<std::uint32_t>(median.nodes.size() - 1));
    }
    median.weights = {0.2, 0.5, 0.3};
    median.combination = ForestFunction::Combination::kMedian;
    CHECK(braid::forest_score(median, Values{1}) == 7);
    median.weights = {0.5, 0.2, 0.3};
    CHECK(braid::forest_score(median, Values{1}) == 0);
    median.combination = ForestFunction::Combination::kMean;
    CHECK_THAT(braid::forest_score(median, Values{1}), WithinRel(0.2 * 7 + 0.3 * 8, 1e-12));
}

TEST_CASE("Regression tree: a threshold parts two scores of any size") {
    const double least = std::numeric_limits<double>::denorm_min();
    const std::vector<std::pair<double, double>> pairs = {
        {-1.5e308, 1.5e308}, {0, least}, {least, 2 * least}, {1, std::nextafter(1, 2)}, {-4, -2}};
    for (const auto& [below, above] : pairs) {
        const Values x = {below, above};
        const ForestFunction tree = one_tree(x, 1, {0, 1}, {1, 1}, {.depth = 1, .leaf = 1});
        CHECK(braid::forest_score(tree, Values{below}) == 0);
        CHECK(braid::forest_score(tree, Values{above}) == 1);
    }
}

TEST_CASE("Regression learners: better than uniform weights where grades bend") {
    // Relevant are scores of r0 in the middle, which no weight can say.
    TrainingSet set = braid::test::random_training(braid::test::seed(),
                                                   {.queries = 40, .documents = 30, .relevant = 0});
    TrainingSet test = braid::test::random_training(
        braid::test::seed() + 1, {.queries = 20, .documents = 30, .relevant = 0});
    for (TrainingSet* one : {&set, &test}) {
        for (std::size_t i = 0; i < one->rows(); ++i) {
            one->grades[i] = std::abs(one->row(i)[0] - 0.5) < 0.15 ? 1 : 0;
        }
    }
    for (const std::string learner : {"bagging-reg", "adaboost-reg"}) {
        const TrainingResult result = fit(learner, set, {.parameters = {{"trees", 20}}});
        CHECK(braid::TrainingMeasure(test, "map").mean(result.function) > 0.9);
        const auto& forest = std::get<ForestFunction>(result.function);
        CHECK_NOTHROW(braid::validate(forest));
        CHECK(std::accumulate(forest.weights.begin(), forest.weights.end(), 0.0) ==
              Approx(1).epsilon(1e-12));
        CHECK(fit(learner, set, {.parameters = {{"trees", 20}}}, 3).function == result.function);
    }
}

TEST_CASE("Regression learners: AdaBoost.R2's first weight by hand") {
    // One question: 2 rows at 0, one of 1 among them; leaves say 1/3 and 1.
    const TrainingSet set{.rankers = {"r"},
                          .queries = {"q"},
                          .query_begin = {0, 4},
                          .scores = {0, 0, 0, 1},
                          .grades = {0, 0, 1, 1}};
    const TrainingResult result =
        fit("adaboost-reg", set, {.parameters = {{"trees", 1}, {"depth", 1}, {"leaf", 1}}});
    CHECK(std::get<ForestFunction>(result.function).weights == Values{1});
    // Errors 1/3, 1/3, 2/3, 0: losses 1/2, 1/2, 1, 0 with mean 1/2: nothing more can be learned.
    const TrainingResult more =
        fit("adaboost-reg", set, {.parameters = {{"trees", 5}, {"depth", 1}, {"leaf", 1}}});
    CHECK(more.objective == Approx(-(1.0 / 9 + 1.0 / 9 + 4.0 / 9) / 4).epsilon(1e-9));
    // Without fault it ends at once.
    TrainingSet easy = set;
    easy.grades = {0, 0, 0, 1};
    const TrainingResult perfect = fit("adaboost-reg", easy, {.parameters = {{"leaf", 1}}});
    CHECK(perfect.stop_reason == "a tree without fault");
    CHECK(perfect.iterations == 1);
}

TEST_CASE("Forest: what is no forest is refused") {
    ForestFunction good{.rankers = 2,
                        .nodes = {{1, 0.5, 1, 2, 0}, {.value = 1}, {.value = 2}},
                        .roots = {0},
                        .weights = {1}};
    CHECK_NOTHROW(braid::validate(good));
    const auto refused = [&](const std::function<void(ForestFunction&)>& change) {
        ForestFunction broken = good;
        change(broken);
        CHECK_THROWS_AS(braid::validate(broken), braid::InvalidArgument);
    };
    refused([](ForestFunction& f) { f.roots.clear(); });
    refused([](ForestFunction& f) { f.roots[0] = 3; });
    refused([](ForestFunction& f) { f.weights[0] = -1; });
    refused([](ForestFunction& f) { f.nodes[0].below = 7; });
    refused([](ForestFunction& f) { f.nodes[0].above = 0; });
    refused([](ForestFunction& f) { f.nodes[0].ranker = 2; });
    refused([](ForestFunction& f) { f.nodes[1].value = NAN; });
    refused([](ForestFunction& f) {
        f.nodes[1].below = 1;
        f.nodes[1].above = 2;
    });
    const TrainingSet set = braid::test::random_training(braid::test::seed());
    Values scores(40);
    CHECK_THROWS_AS(braid::score_pool(good, set, 0, scores), braid::InvalidArgument);
}

TEST_CASE("ConvexDS: the program's conditions and its value", "[property]") {
    for (std::uint64_t i = 0; i < 30; ++i) {
        braid::Random random(braid::test::seed() + i);
        const int size = 1 + static_cast<int>(random.below(10));
        Eigen::MatrixXd X(2 * size, size);
        Eigen::VectorXd c(size);
        for (int a = 0; a < 2 * size; ++a) {
            for (int b = 0; b < size; ++b) X(a, b) = random.normal();
        }
        for (int a = 0; a < size; ++a) c(a) = random.normal();
        const Eigen::MatrixXd Q = X.transpose() * X;
        const auto solution = braid::solve_nonnegative({Q.data(), Q.data() + size * size},
                                                       {c.data(), c.data() + size});
        CHECK(solution.violation <= 1e-8);
        const Eigen::Map<const Eigen::VectorXd> w(solution.values.data(), size);
        const double value = 0.5 * w.dot(Q * w) - c.dot(w);
        // No point nearby, and none of many, is better.
        for (int trial = 0; trial < 50; ++trial) {
            Eigen::VectorXd other = w;
            for (int a = 0; a < size; ++a) {
                other(a) = std::max(0.0, other(a) + 0.1 * random.normal());
            }
            CHECK(0.5 * other.dot(Q * other) - c.dot(other) >= value - 1e-9);
        }
    }
}

TEST_CASE("ConvexDS: sparse where asked, and finds the rankers that know") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 30});
    double known = 0;
    for (std::uint64_t number = 0; number < 5; ++number) {
        const TrainingSet other =
            braid::test::random_training(braid::test::seed() + number, {.queries = 30});
        const Values found = std::get<LinearFunction>(fit("convexds", other).function).weights;
        known += (found[0] + found[2]) / 5;
    }
    CHECK(known > 0.8);
    const auto zeros = [&](double lambda) {
        const Values found =
            std::get<LinearFunction>(
                fit("convexds", set, {.parameters = {{"lambda", lambda}}}).function)
                .weights;
        return std::count(found.begin(), found.end(), 0.0);
    };
    CHECK(zeros(0.9) >= 2);
    CHECK(zeros(0.9) >= zeros(0));
    // All of it leaves nothing, which is uniform.
    CHECK(zeros(1) == 0);
}

TEST_CASE("AEM: weights are a softmax, and follow what they depend on") {
    TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 60, .documents = 20, .rankers = 2, .relevant = 4});
    // r0 knows where the first feature is above 0, r1 elsewhere.
    for (std::size_t q = 0; q < 60; ++q) {
        for (std::size_t d = 0; d < 4; ++d) {
            const std::size_t row = 20 * q + d;
            set.scores[2 * row] -= 0.3;
            set.scores[2 * row + (set.query_features[2 * q] > 0 ? 0 : 1)] += 1;
        }
    }
    const TrainingResult result = fit("aem", set);
    const auto& function = std::get<AttentionFunction>(result.function);
    const Values plus = braid::attention_weights(function, "new", Values{1, 0});
    const Values minus = braid::attention_weights(function, "new", Values{-1, 0});
    CHECK(plus[0] + plus[1] == Approx(1).epsilon(1e-12));
    CHECK(plus[0] > 0.7);
    CHECK(minus[0] < 0.3);
    CHECK(result.curve.back().objective > result.curve.front().objective);
    CHECK(fit("aem", set, {}, 3).function == result.function);
    set.query_features.clear();
    set.query_feature_names.clear();
    CHECK_THROWS_WITH(fit("aem", set), Contains("no query features"));
}

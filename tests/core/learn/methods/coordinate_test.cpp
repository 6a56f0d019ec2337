// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/base/place_sort.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/line_search.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::LearnerOptions;
using braid::LinearFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;
using Weights = std::vector<double>;

// The best mean of `measure` with two rankers: every ranking there is, by trying a point
// between any two neighbouring crossings.
double best_of_two(const TrainingSet& set, const std::string& name) {
    const TrainingMeasure measure(set, name);
    std::vector<double> crossings = {0, 1};
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t a = set.query_begin[q]; a < set.query_begin[q + 1]; ++a) {
            for (std::size_t b = a + 1; b < set.query_begin[q + 1]; ++b) {
                // w x_a + (1 - w) y_a = w x_b + (1 - w) y_b
                const double x = set.row(a)[0] - set.row(b)[0];
                const double y = set.row(a)[1] - set.row(b)[1];
                const double w = y / (y - x);
                if (w > 0 && w < 1) crossings.push_back(w);
            }
        }
    }
    std::sort(crossings.begin(), crossings.end());
    double best = 0;
    for (std::size_t i = 1; i < crossings.size(); ++i) {
        const double w = (crossings[i - 1] + crossings[i]) / 2;
        if (crossings[i] - crossings[i - 1] < 1e-10) continue;
        best = std::max(best, measure.mean(LinearFunction{{w, 1 - w}}));
    }
    return best;
}

braid::TrainingResult fit(const TrainingSet& set, const LearnerOptions& options = {}) {
    return braid::fit_learner("coordinate", set, options, *braid::make_executor(1));
}

}  // namespace

TEST_CASE("coordinate: with two rankers it finds the best weights there are", "[property]") {
    braid::Random random(braid::test::seed());
    for (const std::string name : {"map", "ndcg@5", "ndcg", "p@3", "mrr", "bpref"}) {
        for (const bool ties : {false, true}) {
            INFO(name << " ties " << ties);
            const TrainingSet set = braid::test::random_training(random.bits(), {.queries = 4,
                                                                                 .documents = 12,
                                                                                 .rankers = 2,
                                                                                 .relevant = 4,
                                                                                 .highest_grade = 2,
                                                                                 .with_ties = ties,
                                                                                 .signal = 0.1});
            const braid::TrainingResult result = fit(set, {.measure = name});
            CHECK(result.objective >= best_of_two(set, name) - 1e-12);
            CHECK(result.objective == Approx(TrainingMeasure(set, name).mean(result.function)));
        }
    }
}

TEST_CASE("coordinate: no random weights are better by much", "[property]") {
    braid::Random random(braid::test::seed());
    const TrainingSet set = braid::test::random_training(
        random.bits(), {.queries = 8, .documents = 60, .relevant = 6, .signal = 0.15});
    const TrainingMeasure measure(set, "map");
    const double found = fit(set).objective;
    double best = 0;
    for (int i = 0; i < 2000; ++i) {
        Weights weights(4);
        for (double& weight : weights) weight = -std::log(1 - random.uniform());
        best = std::max(best, measure.mean(LinearFunction{weights}));
    }
    CHECK(found >= best);
}

TEST_CASE("line search: sorting by digits equals a stable sort", "[property]") {
    struct Item {
        double at;
        std::size_t number;
    };
    braid::Random random(braid::test::seed());
    for (const std::size_t count : {0U, 5U, 63U, 64U, 700U, 4096U, 9000U}) {
        for (const int kind : {0, 1, 2, 3}) {
            std::vector<Item> items;
            for (std::size_t i = 0; i < count; ++i) {
                const double normal = random.normal();
                const double at = kind == 0   ? normal
                                  : kind == 1 ? std::floor(2 * normal) * 0.0 + std::floor(normal)
                                  : kind == 2 ? 1 + 1e-14 * normal  // One coarse key.
                                              : std::exp(50 * normal) * (i % 2 == 0 ? 1 : -1);
                items.push_back({i % 97 == 0 ? -0.0 : at, i});
            }
            std::vector<Item> expected = items;
            std::stable_sort(expected.begin(), expected.end(),
                             [](const Item& a, const Item& b) { return a.at < b.at; });
            std::vector<Item> room;
            braid::sort_by_place(items, room);
            REQUIRE(items.size() == count);
            for (std::size_t i = 0; i < count; ++i) {
                REQUIRE(items[i].number == expected[i].number);
            }
        }
    }
}

TEST_CASE("line search: in buckets it finds what it finds at once") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 70, .documents = 40, .rankers = 5, .relevant = 6});
    const auto executor = braid::make_executor(1);
    braid::Random random(braid::test::seed());
    for (const std::string name : {"map", "ndcg@5"}) {
        const TrainingMeasure measure(set, name);
        for (int line = 0; line < 12; ++line) {
            Weights weights(5);
            Weights direction(5);
            for (double& weight : weights) weight = random.uniform();
            for (double& part : direction) part = random.normal();
            braid::LineSearchOptions options{.l2 = line % 4 == 3 ? 0.1 : 0};
            options.allow_negative = line % 3 == 0;
            const auto search = [&] {
                return braid::search_line(measure, measure.queries(), weights, direction, options,
                                          *executor);
            };
            const braid::LineMaximum all = search();
            options.steps_at_once = 300;
            const braid::LineMaximum parts = search();
            CHECK(std::abs(parts.value - all.value) < 1e-11);
            CHECK(parts.at == Approx(all.at));
            options.worth = all.value - 1e-6;
            CHECK(search().at == Approx(all.at));
            options.worth = all.value + 1e-3;
            CHECK(search().value <= all.value + 1e-11);
        }
    }
}

TEST_CASE("coordinate: its curve never falls, and the pull towards uniform works") {
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 8, .signal = 0.15});
    const braid::TrainingResult free = fit(set);
    for (std::size_t i = 1; i < free.curve.size(); ++i) {
        CHECK(free.curve[i].objective >= free.curve[i - 1].objective);
    }
    CHECK(free.curve.back().objective > free.curve.front().objective);
    const auto distance = [](const braid::TrainingResult& result) {
        double sum = 0;
        for (const double weight : std::get<LinearFunction>(result.function).weights) {
            sum += (weight - 0.25) * (weight - 0.25);
        }
        return sum;
    };
    const double pulled = distance(fit(set, {.parameters = {{"l2", 2}}}));
    CHECK(pulled < distance(free));
    CHECK(distance(fit(set, {.parameters = {{"l2", 1e5}}})) < 1e-4);
}

TEST_CASE("coordinate: documents outside the pool lower what can be reached") {
    TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 3});
    const double before = fit(set).objective;
    set.unpooled.assign(3, {1, 1, 1, 1, 1});
    CHECK(fit(set).objective == Approx(before / 2).epsilon(1e-12));
}

TEST_CASE("query oracle: nothing fixed is better for any query") {
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 10, .signal = 0.15});
    const auto executor = braid::make_executor(2);
    const braid::QueryOracle oracle = braid::find_query_oracle(set, {}, *executor);
    const TrainingMeasure measure(set, "map");
    const braid::TrainingResult fixed = fit(set);
    REQUIRE(oracle.queries == measure.queries());
    double mean = 0;
    for (std::size_t i = 0; i < oracle.queries.size(); ++i) {
        const std::size_t q = oracle.queries[i];
        CHECK(oracle.values[i] == measure.of_query(q, LinearFunction{oracle.weights[i]}));
        CHECK(oracle.values[i] >= measure.of_query(q, LinearFunction{Weights(4, 0.25)}));
        mean += oracle.values[i] / 10;
    }
    CHECK(oracle.mean == Approx(mean));
    CHECK(oracle.mean > fixed.objective);
    const auto serial = braid::make_executor(1);
    CHECK(braid::find_query_oracle(set, {}, *serial).weights == oracle.weights);
    CHECK_THROWS_AS(braid::find_query_oracle(set, {.parameters = {{"beta", 1}}}, *serial),
                    braid::UnknownComponent);
}

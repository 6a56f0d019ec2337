// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/data/training_measure.h"

#include "braid/core/error.h"
#include "braid/tests/core/learners/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::kUnjudged;
using braid::LinearFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;
using Catch::Matchers::WithinRel;

// One ranker, one query.
TrainingSet pool(std::vector<double> scores, std::vector<braid::Grade> grades) {
    TrainingSet set{.rankers = {"r"},
                    .queries = {"q"},
                    .query_begin = {0, grades.size()},
                    .scores = std::move(scores),
                    .grades = std::move(grades)};
    braid::validate(set);
    return set;
}

double map_of(const TrainingSet& set) {
    return TrainingMeasure(set, "map").mean(LinearFunction{{1}});
}

}  // namespace

TEST_CASE("training measure: a worked example") {
    const TrainingSet set = pool({1, 4, 3, 2}, {0, 0, 1, 1});
    CHECK_THAT(map_of(set), WithinRel((1.0 / 2 + 2.0 / 3) / 2, 1e-15));
    CHECK(TrainingMeasure(set, "p@1").mean(LinearFunction{{1}}) == 0);
    CHECK(TrainingMeasure(set, "p@2").mean(LinearFunction{{1}}) == 0.5);
    CHECK(TrainingMeasure(set, "p@1").mean(LinearFunction{{-1}}) == 0);
}

TEST_CASE("training measure: relevant documents outside the pool are missed") {
    TrainingSet set = pool({2, 1}, {1, 0});
    CHECK(map_of(set) == 1);
    set.unpooled = {{1, 0}};
    CHECK(map_of(set) == 0.5);
}

TEST_CASE("training measure: ties are in trec_eval's order, or in that of the rows") {
    TrainingSet set = pool({1, 1, 1}, {1, 0, 0});
    CHECK(map_of(set) == 1);
    set.documents = {"a", "c", "b"};
    CHECK_THAT(map_of(set), WithinRel(1.0 / 3, 1e-15));
    set.documents = {"c", "a", "b"};
    CHECK(map_of(set) == 1);
}

TEST_CASE("training measure: queries on which nothing can score are left out of the mean") {
    TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 3});
    const TrainingMeasure all(set, "map");
    CHECK(all.queries() == std::vector<std::size_t>{0, 1, 2});
    const LinearFunction function{{1, 1, 1, 1}};
    const double second = all.of_query(1, function);
    for (std::size_t i = set.query_begin[0]; i < set.query_begin[1]; ++i) set.grades[i] = 0;
    for (std::size_t i = set.query_begin[2]; i < set.query_begin[3]; ++i) {
        set.grades[i] = kUnjudged;
    }
    const TrainingMeasure one(set, "map");
    CHECK(one.queries() == std::vector<std::size_t>{1});
    CHECK(one.mean(function) == second);
    CHECK(one.of_query(0, function) == 0);
}

TEST_CASE("training measure: the same at any number of threads") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 70, .with_ties = true, .signal = 0.1});
    const TrainingMeasure measure(set, "ndcg@10");
    const LinearFunction function{{0.5, 0.1, 0.3, 0.1}};
    const double one = measure.mean(function);
    CHECK(one > 0);
    for (const std::size_t threads : {1U, 2U, 8U}) {
        CHECK(measure.mean(function, *braid::make_executor(threads)) == one);
    }
}

TEST_CASE("training measure: a cut-off sees what sorting the whole pool would") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.documents = 30, .relevant = 12, .with_ties = true});
    const LinearFunction function{{1, 1, 0, 0}};
    CHECK(TrainingMeasure(set, "map@30").mean(function) ==
          TrainingMeasure(set, "map").mean(function));
    CHECK(TrainingMeasure(set, "map@5").mean(function) <
          TrainingMeasure(set, "map").mean(function));
}

TEST_CASE("ranking function: the number of weights must fit") {
    const TrainingSet set = pool({2, 1}, {1, 0});
    CHECK_THROWS_AS(TrainingMeasure(set, "map").mean(LinearFunction{{1, 2}}),
                    braid::InvalidArgument);
}

TEST_CASE("ranking function: shares are weights times spread") {
    TrainingSet set = pool({1, 3}, {1, 0});
    set.rankers = {"a", "b", "c"};
    set.scores = {0, 0, 5, 1, 10, 5};
    const std::vector<double> shares = braid::shares({{1, -0.3, 100}}, set);
    CHECK_THAT(shares[0], WithinRel(0.25, 1e-12));
    CHECK_THAT(shares[1], WithinRel(0.75, 1e-12));
    CHECK(shares[2] == 0);
}

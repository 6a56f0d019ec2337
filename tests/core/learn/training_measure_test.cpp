// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/training_measure.h"

#include <algorithm>
#include <numeric>

#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::kUnjudged;
using braid::LinearFunction;
using braid::TrainingMeasure;
using braid::TrainingSet;
using namespace braid::test;

// One ranker, one query.
TrainingSet pool(std::vector<double> scores, std::vector<braid::Grade> grades) {
    const std::size_t documents = grades.size();
    TrainingSet set{.rankers = {"r"},
                    .queries = {"q"},
                    .query_begin = {0, documents},
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

TEST_CASE("training measure: places are those of a sorted list", "[property]") {
    braid::Random random(braid::test::seed());
    for (const std::size_t n : {1U, 2U, 7U, 60U, 300U}) {
        for (const std::size_t levels : {1U, 3U, 1000000U}) {
            std::vector<double> scores;
            for (std::size_t d = 0; d < n; ++d) {
                scores.push_back(static_cast<double>(random.below(levels)) - 1);
            }
            std::vector<std::uint32_t> ties(n);
            std::iota(ties.begin(), ties.end(), 0U);
            std::vector<std::uint32_t> order = ties;
            random.shuffle(ties);
            std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return scores[a] != scores[b] ? scores[a] > scores[b] : ties[a] < ties[b];
            });
            // Few are compared with all, more are bisected.
            for (const std::size_t every : {1U, 2U, 5U, 50U}) {
                std::vector<std::uint32_t> documents;
                for (std::uint32_t d = 0; d < n; d += every) documents.push_back(d);
                std::vector<std::uint32_t> places(documents.size());
                braid::places_of(documents, scores, ties, places);
                for (std::size_t i = 0; i < places.size(); ++i) {
                    REQUIRE(order[places[i]] == documents[i]);
                }
            }
        }
    }
}

TEST_CASE("training measure: equals the measure of the whole ranking", "[property]") {
    for (const bool with_ties : {false, true}) {
        for (const std::size_t relevant : {4U, 70U, 110U}) {
            TrainingSet set =
                braid::test::random_training(braid::test::seed(), {.queries = 4,
                                                                   .documents = 120,
                                                                   .relevant = relevant,
                                                                   .highest_grade = 3,
                                                                   .with_ties = with_ties});
            for (std::size_t i = 0; i < set.rows(); i += 7) set.grades[i] = kUnjudged;
            const LinearFunction function{{0.4, 0.2, -0.3, 0.1}};
            for (const std::string name :
                 {"map", "map@9", "ndcg", "ndcg@10", "ndcg-letor", "err", "bpref", "judged@5",
                  "p@3", "mrr", "rprec", "success@1", "wta", "recall@20"}) {
                const TrainingMeasure measure(set, name);
                for (const std::size_t q : measure.queries()) {
                    std::vector<double> scores(120);
                    braid::score_pool(function, set, q, scores);
                    std::vector<std::size_t> order(120);
                    std::iota(order.begin(), order.end(), std::size_t{0});
                    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                        return scores[a] > scores[b];
                    });
                    std::vector<braid::Grade> ranked;
                    for (const std::size_t d : order) ranked.push_back(set.query_grades(q)[d]);
                    INFO(name);
                    CHECK(measure.of_scores(q, scores) ==
                          measure.measure().evaluate({ranked, measure.pool(q)}));
                }
            }
        }
    }
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

TEST_CASE("ranking function: a weighted sum has the bits of its row alone", "[property]") {
    braid::Random random(braid::test::seed());
    for (std::size_t rows = 0; rows < 12; ++rows) {
        std::vector<double> weights(7);
        std::vector<double> scores(7 * rows);
        for (double& weight : weights) weight = random.normal();
        for (double& score : scores) score = random.normal();
        std::vector<double> sums(rows, 9);
        braid::weighted_sums(scores, weights, sums);
        for (std::size_t i = 0; i < rows; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < 7; ++k) sum += weights[k] * scores[7 * i + k];
            CHECK(sums[i] == sum);
        }
    }
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

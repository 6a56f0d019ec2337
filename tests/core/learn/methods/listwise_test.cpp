// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/listwise_loss.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Costs = PlackettLuceLoss::Costs;
using Weights = std::vector<double>;

TrainingSet graded_set(std::uint64_t seed) {
    return braid::test::random_training(
        seed, {.queries = 6, .documents = 20, .relevant = 8, .highest_grade = 3});
}

// Grades 2, 1, 0, 0 and a query that teaches nothing.
TrainingSet example() {
    return {.rankers = {"a"},
            .queries = {"1", "2"},
            .query_begin = {0, 4, 6},
            .scores = {0, 0, 0, 0, 0, 0},
            .grades = {2, 1, 0, braid::kUnjudged, 1, 1}};
}

// Stage by stage, document by document.
double plackett_luce(const TrainingSet& set, std::size_t query, const Weights& scores) {
    const auto grades = set.query_grades(query);
    const Grade lowest = *std::min_element(grades.begin(), grades.end());
    double sum = 0;
    double stages = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (grades[i] == lowest) continue;
        double total = 0;
        for (std::size_t j = 0; j < scores.size(); ++j) {
            if (grades[j] <= grades[i]) total += std::exp(scores[j]);
        }
        sum += std::log(total) - scores[i];
        ++stages;
    }
    return sum / stages;
}

}  // namespace

TEST_CASE("listwise: losses are convex and their slopes are right", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    braid::test::check_score_loss(TopOneLoss(set), set, braid::test::seed());
    for (const Costs costs : {Costs::kEven, Costs::kQueries}) {
        braid::test::check_score_loss(PlackettLuceLoss(set, costs), set, braid::test::seed());
    }
}

TEST_CASE("listmle: equals the likelihood stage by stage", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    const PlackettLuceLoss loss(set, Costs::kQueries);
    braid::Random random(braid::test::seed());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Weights scores = braid::test::random_scores(random, 20, 2);
        Weights slopes(20);
        CHECK_THAT(6 * loss.of_query(q, scores, slopes),
                   WithinRel(plackett_luce(set, q, scores), 1e-11));
    }
}

TEST_CASE("listwise: four documents by hand") {
    const TrainingSet set = example();
    const double e = std::exp(1.0);
    Weights slopes(4);
    // Equal scores: the first of four, then the first of three.
    const Weights zero(4, 0);
    const PlackettLuceLoss likely(set, Costs::kQueries);
    CHECK_THAT(likely.of_query(0, zero, slopes), WithinRel(std::log(12.0) / 2, 1e-12));
    CHECK_THAT(slopes[0], WithinRel(-0.75 / 2, 1e-12));
    CHECK_THAT(slopes[1], WithinRel((0.25 + 1.0 / 3 - 1) / 2, 1e-12));
    CHECK_THAT(slopes[3], WithinRel((0.25 + 1.0 / 3) / 2, 1e-12));
    // Wanted are e^2, e, 1, 1 by their sum.
    const TopOneLoss first(set);
    const double sum = e * e + e + 2;
    CHECK_THAT(first.of_query(0, zero, slopes),
               WithinRel((2 * e * e + e) / sum - std::log(sum) + std::log(4.0), 1e-12));
    CHECK_THAT(slopes[1], WithinRel(0.25 - e / sum, 1e-12));
    CHECK(first.of_query(0, Weights{7, 6, 5, 5}, slopes) == Approx(0).margin(1e-14));
    // Nothing to learn from equal grades.
    Weights two(2, 1);
    CHECK(first.of_query(1, Weights{1, 2}, two) == 0);
    CHECK(two == Weights{0, 0});
    CHECK(likely.of_query(1, Weights{1, 2}, two) == 0);
}

TEST_CASE("listwise: scores far apart stay finite") {
    const TrainingSet set = example();
    for (const Weights& scores : {Weights{-2000, 0, 2000, -1000}, Weights{2000, 0, -2000, 1e5}}) {
        Weights slopes(4);
        const PlackettLuceLoss likely(set, Costs::kQueries);
        const double value = likely.of_query(0, scores, slopes);
        CHECK(std::isfinite(value));
        CHECK(value > 500);
        for (const double slope : slopes) CHECK(std::abs(slope) <= 1);
        CHECK(std::isfinite(TopOneLoss(set).of_query(0, scores, slopes)));
        for (const double slope : slopes) CHECK(std::abs(slope) <= 1);
    }
}

TEST_CASE("listwise: learners find what decides, and know how far off they are") {
    const TrainingSet set = graded_set(braid::test::seed());
    for (const std::string learner : {"listnet", "listmle"}) {
        const TrainingResult result = braid::fit_learner(
            learner, set, {.parameters = {{"tolerance", 1e-6}}}, *braid::make_executor(1));
        CHECK(result.stop_reason == "converged");
        REQUIRE(result.bound);
        CHECK(result.curve.back().objective - *result.bound <=
              1e-6 * result.curve.back().objective);
        const Weights weights = std::get<LinearFunction>(result.function).weights;
        CHECK(weights[0] > 0.2);  // Rankers 0 and 2 know the grade, 1 and 3 are noise.
        CHECK(weights[2] > 0.2);
    }
    TrainingSet uneven = set;  // The first query has one document with a place to fill.
    std::fill(uneven.grades.begin() + 1, uneven.grades.begin() + 20, 0);
    const auto fit = [&](const std::string& costs) {
        return braid::fit_learner("listmle", uneven, {.choices = {{"costs", costs}}},
                                  *braid::make_executor(1));
    };
    CHECK(fit("even").function != fit("queries").function);
}

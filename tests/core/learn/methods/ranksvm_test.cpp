// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/pair_loss.h"
#include "braid/core/learn/training_measure.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Costs = PairLossOptions::Costs;
using Weights = std::vector<double>;

TrainingSet graded_set(std::uint64_t seed, std::size_t documents = 30) {
    return braid::test::random_training(
        seed, {.queries = 6, .documents = documents, .relevant = 12, .highest_grade = 3});
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options = {}) {
    return braid::fit_learner("ranksvm", set, options, *braid::make_executor(1));
}

Weights weights(const TrainingResult& result) {
    return std::get<LinearFunction>(result.function).weights;
}

// Pair by pair.
double all_pairs(const TrainingSet& set, const PairLoss& loss, const PairLossOptions& options,
                 std::size_t query, const Weights& scores, Weights& slopes) {
    slopes.assign(scores.size(), 0);
    const auto grades = set.query_grades(query);
    double pairs_of_all = 0;
    double queries = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        pairs_of_all += static_cast<double>(loss.pairs(q));
        queries += loss.pairs(q) > 0 ? 1 : 0;
    }
    double weight = 1 / pairs_of_all;
    if (options.costs != Costs::kEven) {
        weight = 1 / (queries * static_cast<double>(loss.pairs(query)));
    }
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = 0; j < scores.size(); ++j) {
            const double rest = 1 - (scores[i] - scores[j]);
            if (grades[i] <= grades[j] || !(scores[i] - scores[j] < 1)) continue;
            const double cost = weight * loss.cost(grades[i], grades[j]);
            sum += cost * (options.squared ? rest * rest : rest);
            const double slope = cost * (options.squared ? 2 * rest : 1);
            slopes[i] -= slope;
            slopes[j] += slope;
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("ranksvm: sweeps equal all pairs", "[property]") {
    braid::Random random(braid::test::seed());
    for (std::uint64_t round = 0; round < 4; ++round) {
        const TrainingSet set = graded_set(braid::test::seed() + round);
        for (const bool squared : {false, true}) {
            for (const Costs costs : {Costs::kEven, Costs::kQueries, Costs::kQueriesAndGrades}) {
                const PairLossOptions options{squared, costs};
                const PairLoss loss(set, options);
                for (std::size_t q = 0; q < set.queries.size(); ++q) {
                    Weights scores = braid::test::random_scores(random, set.pool_size(q), 1);
                    if (round > 1) {  // Ties, and differences of exactly 1.
                        for (double& score : scores) score = std::floor(score * 4) / 4;
                    }
                    Weights expected;
                    Weights found(scores.size());
                    const double value = all_pairs(set, loss, options, q, scores, expected);
                    CHECK_THAT(loss.of_query(q, scores, found), WithinRel(value, 1e-10));
                    for (std::size_t d = 0; d < found.size(); ++d) {
                        CHECK(found[d] == Approx(expected[d]).epsilon(1e-9).margin(1e-14));
                    }
                }
            }
        }
    }
}

TEST_CASE("ranksvm: the loss is convex and its slopes are right", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    for (const bool squared : {false, true}) {
        braid::test::check_score_loss(PairLoss(set, {.squared = squared}), set,
                                      braid::test::seed());
        braid::test::check_score_loss(PairLoss(set, {.squared = squared}, 2, 1), set,
                                      braid::test::seed());
    }
}

TEST_CASE("ranksvm: the costs of Cao by hand") {
    // Query 1: grades 2, 1, 1, 0; query 2: 1, 0. Swapping the 2 with a 1 costs 2/3 of ndcg@1, with
    // the 0 all of it; swapping a 1 with a 0 costs all of it in query 2 and nothing in query 1.
    const TrainingSet set{.rankers = {"a"},
                          .queries = {"1", "2"},
                          .query_begin = {0, 4, 6},
                          .scores = {0, 0, 0, 0, 0, 0},
                          .grades = {2, 1, 1, 0, 1, 0}};
    const PairLoss loss(set, {.costs = Costs::kQueriesAndGrades});
    CHECK_THAT(loss.cost(2, 0), WithinRel(1.0, 1e-12));
    CHECK_THAT(loss.cost(2, 1), WithinRel(2.0 / 3, 1e-12));
    CHECK_THAT(loss.cost(1, 0), WithinRel(0.5, 1e-12));
    CHECK(loss.pairs(0) == 5);
    CHECK(loss.pairs(1) == 1);
    // All scores equal, every pair falls short by 1: means over pairs.
    Weights slopes(4);
    const Weights zero(4, 0);
    CHECK_THAT(loss.of_query(0, zero, slopes),
               WithinRel((2 * 2.0 / 3 + 1 + 2 * 0.5) / 5 / 2, 1e-12));
    CHECK_THAT(PairLoss(set, {.costs = Costs::kEven}).of_query(0, zero, slopes),
               WithinRel(5.0 / 6, 1e-12));
    CHECK_THAT(PairLoss(set, {.costs = Costs::kQueries}).of_query(0, zero, slopes),
               WithinRel(0.5, 1e-12));
    CHECK(braid::grade_pairs(set) == std::vector<std::pair<Grade, Grade>>{{2, 1}, {2, 0}, {1, 0}});
}

TEST_CASE("ranksvm: two documents by hand") {
    // One pair, x = (3, 1) better than (1, 2): 1/2 |w|^2 + c [1 - (2 w1 - w2)]+ has w = t (2, -1),
    // t = min(c, 1/5).
    const TrainingSet set{.rankers = {"a", "b"},
                          .queries = {"1"},
                          .query_begin = {0, 2},
                          .scores = {3, 1, 1, 2},
                          .grades = {1, 0}};
    const TrainingResult result =
        fit(set, {.parameters = {{"c", 0.1}, {"tolerance", 1e-9}}, .choices = {{"loss", "hinge"}}});
    CHECK(weights(result)[0] == Approx(2.0 / 3).epsilon(1e-4));
    CHECK(weights(result)[1] == Approx(-1.0 / 3).epsilon(1e-4));
    CHECK(result.curve.back().objective == Approx(0.025 + 0.05).epsilon(1e-6));
    REQUIRE(result.bound);
    CHECK(*result.bound <= result.curve.back().objective);
    // Squared: w = t (2, -1) with 5 t = 10 c (1 - 5 t).
    const TrainingResult squared = fit(set, {.parameters = {{"c", 0.1}, {"tolerance", 1e-10}}});
    const double t = 1.0 / 10;
    CHECK(squared.curve.back().objective ==
          Approx(2.5 * t * t + 0.1 * (1 - 5 * t) * (1 - 5 * t)).epsilon(1e-6));
    // Without negative weights: (t, 0), t = 2 c.
    const TrainingResult bounded = fit(
        set,
        {.parameters = {{"c", 0.1}}, .choices = {{"loss", "hinge"}, {"weights", "non-negative"}}});
    CHECK(weights(bounded) == Weights{1, 0});
}

TEST_CASE("ranksvm: options change the result, and the order of documents does not") {
    const TrainingSet set = graded_set(braid::test::seed());
    const Weights plain = weights(fit(set));
    for (const LearnerOptions& options :
         std::vector<LearnerOptions>{{.parameters = {{"c", 0.01}}},
                                     {.parameters = {{"iterations", 1}}},
                                     {.choices = {{"loss", "hinge"}}},
                                     {.choices = {{"costs", "even"}}},
                                     {.choices = {{"costs", "queries-and-grades"}}}}) {
        CHECK(weights(fit(set, options)) != plain);
    }
    std::vector<std::size_t> order = {5, 3, 1, 0, 2, 4};
    const TrainingSet other = braid::subset(set, order);
    const LearnerOptions exact{.parameters = {{"tolerance", 1e-9}}};
    const Weights expected = weights(fit(set, exact));
    const Weights found = weights(fit(other, exact));
    for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k] == Approx(expected[k]).margin(1e-3));
    }
    TrainingSet bounded = set;
    for (std::size_t i = 0; i < set.rows(); ++i) bounded.scores[4 * i + 1] = -set.grades[i];
    CHECK(weights(fit(bounded))[1] < -0.4);
    const Weights positive = weights(fit(bounded, {.choices = {{"weights", "non-negative"}}}));
    CHECK(positive[1] == 0);
}

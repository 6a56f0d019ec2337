// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/permutations.h"
#include "braid/error.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

TrainingSet small_pools(std::uint64_t seed) {
    braid::Random random(seed);
    TrainingSet set;
    set.rankers = {"a"};
    for (std::size_t n = 2; n <= 6; ++n) {
        for (int i = 0; i < 6; ++i) {
            set.queries.push_back(std::to_string(n) + "/" + std::to_string(i));
            for (std::size_t d = 0; d < n; ++d) {
                set.grades.push_back(static_cast<Grade>(random.below(3)));
                set.scores.push_back(0);
            }
            set.query_begin.push_back(set.grades.size());
        }
    }
    return set;
}

TrainingSet graded_set(std::uint64_t seed) {
    return braid::test::random_training(
        seed, {.queries = 8, .documents = 20, .relevant = 7, .highest_grade = 2});
}

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options = {}) {
    return braid::fit_learner("permurank", set, options, *braid::make_executor(1));
}

double value_of(const TrainingMeasure& measure, std::size_t query, const Permutation& ranking) {
    Weights places(ranking.size());
    for (std::size_t i = 0; i < ranking.size(); ++i) places[ranking[i]] = -static_cast<double>(i);
    return measure.of_scores(query, places);
}

}  // namespace

TEST_CASE("permurank: the furthest perfect and imperfect rankings equal brute force",
          "[property]") {
    const TrainingSet set = small_pools(braid::test::seed());
    braid::Random random(braid::test::seed());
    for (const std::string name : {"map", "ndcg", "ndcg@1", "ndcg@3", "ndcg-exp@2"}) {
        const TrainingMeasure measure(set, name);
        const Permutations permutations(measure);
        for (const std::size_t q : measure.queries()) {
            for (int i = 0; i < 3; ++i) {
                const auto grades = set.query_grades(q);
                Weights scores = braid::test::random_scores(random, set.pool_size(q), 1);
                if (i == 2) {  // A perfect model, so that the best imperfect ranking is near.
                    for (std::size_t d = 0; d < scores.size(); ++d) scores[d] += 9.0 * grades[d];
                }
                double least = 1e9;
                double most = -1e9;
                double most_perfect = -1e9;
                Permutation order(scores.size());
                std::iota(order.begin(), order.end(), 0U);
                do {
                    const double score = Permutations::score(order, scores);
                    if (value_of(measure, q, order) > 1 - 1e-9) {
                        least = std::min(least, score);
                        most_perfect = std::max(most_perfect, score);
                        CHECK(permutations.is_perfect(q, order));
                    } else {
                        most = std::max(most, score);
                        CHECK(!permutations.is_perfect(q, order));
                    }
                } while (std::next_permutation(order.begin(), order.end()));
                const Permutation perfect = permutations.worst_perfect(q, scores);
                CHECK(value_of(measure, q, perfect) == Approx(1));
                CHECK(Permutations::score(perfect, scores) == Approx(least).margin(1e-12));
                const Permutation nearest = permutations.best_perfect(q, scores);
                CHECK(value_of(measure, q, nearest) == Approx(1));
                CHECK(Permutations::score(nearest, scores) == Approx(most_perfect).margin(1e-12));
                const auto imperfect = permutations.best_imperfect(q, scores);
                REQUIRE(imperfect.has_value() == (most > -1e9));
                if (!imperfect) continue;
                CHECK(value_of(measure, q, *imperfect) < 1 - 1e-9);
                CHECK(Permutations::score(*imperfect, scores) == Approx(most).margin(1e-12));
                CHECK(permutations.lost(q, *imperfect) ==
                      Approx(1 - value_of(measure, q, *imperfect)).margin(1e-12));
            }
        }
    }
}

TEST_CASE("permurank: F of pairs equals F of places") {
    braid::Random random(braid::test::seed());
    const Weights scores = braid::test::random_scores(random, 6, 1);
    Permutation order = {3, 1, 5, 0, 2, 4};
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = i + 1; j < 6; ++j) sum += scores[order[i]] - scores[order[j]];
    }
    CHECK_THAT(Permutations::score(order, scores), WithinRel(sum / 30, 1e-12));
    CHECK(Permutations::score({0}, Weights{3}) == 0);
}

TEST_CASE("permurank: the loss of working sets, and its slopes", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    const TrainingMeasure measure(set, "ndcg@5");
    const Permutations permutations(measure);
    PermutationLoss loss(permutations);
    braid::Random random(braid::test::seed());
    std::vector<std::vector<Permutation>> perfect(8);
    std::vector<std::vector<Permutation>> imperfect(8);
    for (int i = 0; i < 4; ++i) {
        const Weights scores = braid::test::random_scores(random, set.rows(), 1);
        CHECK(loss.extend(scores));
        CHECK(!loss.extend(scores));
        for (std::size_t q = 0; q < 8; ++q) {
            const std::span<const double> part{scores.data() + set.query_begin[q], 20};
            perfect[q].push_back(permutations.worst_perfect(q, part));
            imperfect[q].push_back(*permutations.best_imperfect(q, part));
        }
    }
    const TrainingSet& rankings = loss.rankings();
    braid::test::check_score_loss(loss, rankings, braid::test::seed());
    Weights weights(4);
    for (double& weight : weights) weight = 20 * random.normal();
    Weights scores(set.rows());
    braid::weighted_sums(set.scores, weights, scores);
    Weights of_rankings(rankings.rows());
    braid::weighted_sums(rankings.scores, weights, of_rankings);
    for (std::size_t q = 0; q < 8; ++q) {
        REQUIRE(loss.perfect(q) == 4);
        REQUIRE(loss.imperfect(q) == 4);
        const std::span<const double> part{scores.data() + set.query_begin[q], 20};
        double expected = 0;
        for (const Permutation& good : perfect[q]) {
            for (const Permutation& bad : imperfect[q]) {
                const double apart =
                    Permutations::score(good, part) - Permutations::score(bad, part);
                expected += (1 - value_of(measure, q, bad)) * std::max(0.0, 1 - apart);
            }
        }
        REQUIRE(rankings.pool_size(q) == 8);
        Weights slopes(8);
        const std::span<const double> own{of_rankings.data() + rankings.query_begin[q], 8};
        CHECK_THAT(loss.of_query(q, own, slopes), WithinRel(expected / 4 / 8, 1e-11));
    }
}

TEST_CASE("permurank: c counts in units of the first rankings' distance") {
    const TrainingSet set = graded_set(braid::test::seed());
    const TrainingMeasure measure(set, "map");
    const Permutations permutations(measure);
    PermutationLoss loss(permutations, true);
    CHECK(loss.first_gap() == 1);
    const Weights scores(set.rows(), 0);
    REQUIRE(loss.extend(scores));
    double expected = 0;
    for (const std::size_t q : measure.queries()) {
        const Weights same(set.pool_size(q), 0);
        const Permutation good = permutations.best_perfect(q, same);
        const Permutation bad = *permutations.best_imperfect(q, same);
        for (std::size_t k = 0; k < set.width(); ++k) {
            Weights column;
            for (std::size_t d = 0; d < set.pool_size(q); ++d) {
                column.push_back(set.query_scores(q)[d * set.width() + k]);
            }
            const double apart =
                Permutations::score(good, column) - Permutations::score(bad, column);
            expected += apart * apart / static_cast<double>(measure.queries().size());
        }
    }
    CHECK_THAT(loss.first_gap(), WithinRel(expected, 1e-12));
    braid::Random random(braid::test::seed());
    loss.extend(braid::test::random_scores(random, set.rows(), 1));
    CHECK_THAT(loss.first_gap(), WithinRel(expected, 1e-12));
    // Scores of another size have the same result; (5) says how objectives compare.
    TrainingSet large = set;
    for (double& score : large.scores) score *= 1024;
    const LearnerOptions options{.parameters = {{"rounds", 1}, {"tolerance", 1e-10}}};
    const TrainingResult one = fit(set, options);
    const TrainingResult other = fit(large, options);
    const Weights& weights = std::get<LinearFunction>(one.function).weights;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const double found = std::get<LinearFunction>(other.function).weights[k];
        CHECK(weights[k] == Approx(found).margin(1e-3));
    }
    REQUIRE(one.curve.size() == 2);
    CHECK(one.curve[1].objective < one.curve[0].objective);
    double left = 0;
    for (std::uint64_t number = 0; number < 5; ++number) {
        const auto curve = fit(graded_set(braid::test::seed() + number), options).curve;
        left += curve[1].objective / curve[0].objective / 5;
    }
    CHECK(left < 0.9);
    CHECK_THAT(1024.0 * 1024 * other.curve[1].objective, WithinRel(one.curve[1].objective, 1e-6));
}

TEST_CASE("permurank: learns, stops, and takes only measures it knows") {
    // Rankers that know nothing are loud, so that uniform weights leave something to learn.
    TrainingSet set = graded_set(braid::test::seed());
    for (std::size_t i = 1; i < set.scores.size(); i += 2) set.scores[i] *= 3;
    const TrainingMeasure measure(set, "map");
    const TrainingResult result = fit(set, {.parameters = {{"rounds", 1000}, {"c", 10}}});
    CHECK(result.stop_reason == "converged");
    CHECK(result.iterations < 1000);
    CHECK(measure.mean(result.function) > measure.mean(LinearFunction{Weights(4, 0.25)}));
    CHECK(fit(set, {.parameters = {{"rounds", 3}}}).iterations == 3);
    for (const std::string name : {"ndcg", "ndcg@5", "ndcg-exp@10"}) {
        CHECK(fit(set, {.measure = name}).function != result.function);
    }
    CHECK_THROWS_WITH(fit(set, {.measure = "p@5"}), Contains("perfect"));
    TrainingSet upside_down = set;
    for (std::size_t i = 0; i < set.rows(); ++i) {
        upside_down.scores[4 * i + 1] = -set.grades[i];
    }
    CHECK(std::get<LinearFunction>(fit(upside_down).function).weights[1] < -0.1);
    for (std::size_t i = 0; i < set.rows(); ++i) {
        upside_down.scores[4 * i + 3] = 0.5 * set.grades[i];
    }
    const Weights kept = std::get<LinearFunction>(
                             fit(upside_down, {.choices = {{"weights", "non-negative"}}}).function)
                             .weights;
    CHECK(kept[1] == 0);
    CHECK(kept[3] > 0.5);
}

TEST_CASE("permurank: many irrelevant documents don't turn the ranking round") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 8, .documents = 400, .relevant = 5});
    const TrainingMeasure measure(set, "map");
    const auto value = [&](double rounds, const std::string& perfect) {
        const LearnerOptions options{.parameters = {{"rounds", rounds}},
                                     .choices = {{"perfect", perfect}}};
        return measure.mean(fit(set, options).function);
    };
    CHECK(value(30, "nearest") > measure.mean(LinearFunction{Weights(4, 0.25)}));
    const auto weights = [&](const std::string& perfect) {
        const LearnerOptions options{.parameters = {{"rounds", 30}},
                                     .choices = {{"perfect", perfect}}};
        return std::get<LinearFunction>(fit(set, options).function).weights;
    };
    CHECK(weights("nearest") != weights("furthest"));
    // The best of all rounds, not the last.
    double best = 0;
    for (int rounds = 1; rounds <= 12; ++rounds) {
        CHECK(value(rounds, "nearest") >= best);
        best = value(rounds, "nearest");
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/measure_bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/error.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

// The mean over pairs of unequal classes of the difference of scores, + in the ranking's order.
double score_of_unequal(const Permutations& permutations, std::size_t query,
                        const Permutation& ranking, const Weights& scores) {
    double sum = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < ranking.size(); ++i) {
        for (std::size_t j = i + 1; j < ranking.size(); ++j) {
            if (permutations.class_of(query, ranking[i]) ==
                permutations.class_of(query, ranking[j])) {
                continue;
            }
            sum += scores[ranking[i]] - scores[ranking[j]];
            ++pairs;
        }
    }
    return sum / pairs;
}

void check_unequal_pairs(const TypeTwoBound& bound, const Permutations& permutations,
                         std::size_t query, const Weights& scores,
                         const std::vector<Permutation>& perfect,
                         const std::vector<Permutation>& imperfect) {
    if (permutations.measure().measure().depth() < scores.size()) return;
    // Without a cut-off all perfect rankings have the same score.
    const double of_perfect = score_of_unequal(permutations, query, perfect[0], scores);
    double least = 1e9;
    double most = 0;
    for (const Permutation& bad : imperfect) {
        const double distance = of_perfect - score_of_unequal(permutations, query, bad, scores);
        least = std::min(least, distance);
        most = std::max(most, permutations.lost(query, bad) * std::exp(-distance));
    }
    const auto pairs = braid::PairsOf::kUnequal;
    CHECK(bound.least_distance(scores, pairs) == Approx(least).margin(1e-12));
    CHECK(bound.maximum(scores, BoundForm::kExponential, pairs) ==
          Approx(most).epsilon(1e-11).margin(1e-13));
}

constexpr BoundForm kForms[] = {BoundForm::kExponential, BoundForm::kLogistic, BoundForm::kHinge};

TrainingSet graded_set(std::size_t documents, std::size_t relevant, int highest) {
    return braid::test::random_training(braid::test::seed(), {.queries = 3,
                                                              .documents = documents,
                                                              .rankers = 2,
                                                              .relevant = relevant,
                                                              .highest_grade = highest});
}

}  // namespace

TEST_CASE("measure bounds: the functions") {
    CHECK(bound_form(BoundForm::kExponential, 0) == 1);
    CHECK(bound_form(BoundForm::kLogistic, 0) == 1);
    CHECK(bound_form(BoundForm::kHinge, 0) == 1);
    CHECK_THAT(bound_form(BoundForm::kLogistic, -1), WithinRel(std::log2(1 + 1 / std::exp(1.0))));
    CHECK_THAT(bound_form(BoundForm::kLogistic, 1000), WithinRel(1000 / std::log(2.0), 1e-12));
    CHECK(bound_form(BoundForm::kHinge, -2) == 0);
    for (const BoundForm form : kForms) {
        for (double x = -5; x < 5; x += 0.1) {
            CHECK(bound_form(form, x) >= (x >= 0 ? 1 : 0));
            CHECK(bound_form(form, x) <= bound_form(form, x + 0.1));
        }
    }
}

TEST_CASE("measure bounds: type one is above the loss, the exponential below the logistic") {
    const TrainingSet set = graded_set(12, 4, 2);
    for (const std::string name : {"map", "ndcg@5", "p@3"}) {
        const TrainingMeasure measure(set, name);
        const LinearFunction model{{0.7, 0.3}};
        const double loss = braid::basic_loss(measure, model);
        CHECK_THAT(loss, WithinRel(3 * (1 - measure.mean(model)), 1e-12));
        const double by_exp = braid::type_one_bound(measure, model, BoundForm::kExponential);
        CHECK(by_exp >= loss);
        CHECK(braid::type_one_bound(measure, model, BoundForm::kLogistic) >= by_exp);
        CHECK(braid::type_one_bound(measure, model, BoundForm::kHinge) == Approx(loss));
    }
}

TEST_CASE("measure bounds: type two equals brute force, and theorems 2 and 3", "[property]") {
    braid::Random random(braid::test::seed());
    const TrainingSet set = graded_set(6, 3, 2);
    int promised = 0;
    for (const std::string name : {"map", "ndcg", "ndcg@3"}) {
        const TrainingMeasure measure(set, name);
        const Permutations permutations(measure);
        for (std::size_t q = 0; q < 3; ++q) {
            const TypeTwoBound bound(permutations, q);
            std::vector<Permutation> perfect;
            std::vector<Permutation> imperfect;
            Permutation order(6);
            std::iota(order.begin(), order.end(), 0U);
            do {
                (permutations.is_perfect(q, order) ? perfect : imperfect).push_back(order);
            } while (std::next_permutation(order.begin(), order.end()));
            for (int i = 0; i < 6; ++i) {
                Weights scores = braid::test::random_scores(random, 6, 1);
                for (std::size_t d = 0; d < 6; ++d) {  // From poor models to perfect ones.
                    scores[d] += 8.0 * i * set.query_grades(q)[d];
                }
                const double value = measure.of_scores(q, scores);
                double least = 1e9;
                for (const Permutation& good : perfect) {
                    for (const Permutation& bad : imperfect) {
                        least = std::min(least, Permutations::score(good, scores) -
                                                    Permutations::score(bad, scores));
                    }
                }
                CHECK(bound.least_distance(scores) == Approx(least).margin(1e-12));
                check_unequal_pairs(bound, permutations, q, scores, perfect, imperfect);
                for (const BoundForm form : kForms) {
                    const double found = bound.maximum(scores, form);
                    const auto sets =
                        braid::type_two_of_sets(permutations, q, scores, perfect, imperfect, form);
                    CHECK(found == Approx(sets.maximum).epsilon(1e-11).margin(1e-13));
                    CHECK(sets.sum >= sets.maximum);
                    CHECK(found >= 1 - value - 1e-12);
                    if (least < value) continue;
                    ++promised;
                    CHECK(found <= bound_form(form, -value) + 1e-12);
                }
            }
        }
    }
    CHECK(promised > 0);
}

TEST_CASE("measure bounds: the paper's simulation can be enumerated, larger pools can't") {
    const TrainingSet set = graded_set(21, 7, 1);
    const TrainingMeasure measure(set, "map");
    const Permutations permutations(measure);
    CHECK(TypeTwoBound(permutations, 0).orders() == 116280);
    CHECK_THROWS_WITH(TypeTwoBound(permutations, 0, 1000), Contains("too many"));
    const TrainingSet large = graded_set(200, 70, 1);
    const TrainingMeasure of_large(large, "map");
    const Permutations many(of_large);
    CHECK_THROWS_AS(TypeTwoBound(many, 0), braid::InvalidArgument);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/ranking_loss.h"
#include "braid/core/learn/training_measure.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Aim = RankingLoss::Aim;
using Weights = std::vector<double>;

// Pools of 2 to 7 documents with every number of relevant ones.
TrainingSet small_pools() {
    TrainingSet set;
    set.rankers = {"a"};
    for (std::size_t n = 2; n <= 7; ++n) {
        for (std::size_t relevant = 1; relevant < n; ++relevant) {
            set.queries.push_back(std::to_string(n) + "/" + std::to_string(relevant));
            for (std::size_t d = 0; d < n; ++d) {
                set.grades.push_back(d * relevant % n < relevant ? 1 : 0);
                set.scores.push_back(0);
            }
            set.query_begin.push_back(set.grades.size());
        }
    }
    return set;
}

// The most, over all rankings, of what the measure loses plus F(ranking) - F(a perfect one), where
// F is the mean over pairs of +-(relevant - irrelevant score).
double brute_force(const TrainingMeasure& measure, std::size_t query, const Weights& scores) {
    const auto grades = measure.set().query_grades(query);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double pairs = 0;
    double most = 0;
    do {
        Weights by_place(scores.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            by_place[order[i]] = -static_cast<double>(i);
        }
        double value = 1 - measure.of_scores(query, by_place);
        pairs = 0;
        double wrong = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (std::size_t j = 0; j < order.size(); ++j) {
                if (grades[i] == 0 || grades[j] > 0) continue;
                ++pairs;
                if (by_place[i] < by_place[j]) wrong += 2 * (scores[j] - scores[i]);
            }
        }
        most = std::max(most, value + wrong / pairs);
    } while (std::next_permutation(order.begin(), order.end()));
    return most;
}

// With the measure that each aims at.
constexpr std::pair<Aim, const char*> kAims[] = {{Aim::kAveragePrecision, "map"},
                                                 {Aim::kLinearGain, "ndcg"},
                                                 {Aim::kExponentialGain, "ndcg-exp"}};

TrainingSet graded_set(std::uint64_t seed) {
    return braid::test::random_training(
        seed, {.queries = 8, .documents = 30, .relevant = 12, .highest_grade = 3});
}

}  // namespace

TEST_CASE("svm-map: the most violated ranking equals brute force up to 7 documents", "[property]") {
    const TrainingSet set = small_pools();
    braid::Random random(braid::test::seed());
    for (const auto& [aim, name] : kAims) {
        const TrainingMeasure measure(set, name);
        const RankingLoss loss(set, aim, 1);
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            INFO(name << " " << set.queries[q]);
            for (const double spread : {0.0, 0.1, 0.3, 1.0, 3.0}) {
                Weights scores = braid::test::random_scores(random, set.pool_size(q), spread);
                if (spread == 1) {
                    for (double& score : scores) score = std::floor(score * 3) / 3;
                }
                Weights slopes(scores.size());
                const double found =
                    loss.of_query(q, scores, slopes) * static_cast<double>(set.queries.size());
                CHECK(found ==
                      Approx(brute_force(measure, q, scores)).epsilon(1e-12).margin(1e-14));
            }
        }
    }
}

TEST_CASE("svm-map: places by divide and conquer equal places by looking at all", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 50; ++round) {
        const std::size_t R = 1 + random.below(20);
        const std::size_t N = 1 + random.below(60);
        Weights relevant = braid::test::random_scores(random, R, 0.5);
        Weights irrelevant = braid::test::random_scores(random, N, 0.5);
        std::sort(relevant.rbegin(), relevant.rend());
        std::sort(irrelevant.rbegin(), irrelevant.rend());
        const auto lost = [&](std::size_t k, std::size_t j) {
            return static_cast<double>(k) / static_cast<double>((k + j - 1) * (k + j)) /
                   static_cast<double>(R);
        };
        const double per_pair = 2 / static_cast<double>(R * N);
        std::vector<std::uint32_t> found(N);
        braid::most_violated(relevant, irrelevant, lost, per_pair, found);
        for (std::size_t j = 0; j < N; ++j) {
            std::size_t best = R;
            double gain = 0;
            double most = 0;
            for (std::size_t k = R; k > 0; --k) {
                gain += lost(k, j + 1) - per_pair * (relevant[k - 1] - irrelevant[j]);
                if (gain > most + 1e-15) {
                    most = gain;
                    best = k - 1;
                }
            }
            CHECK(found[j] == best);
        }
        CHECK(std::is_sorted(found.begin(), found.end()));
    }
}

TEST_CASE("svm-map: losses are convex and their slopes are right", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    for (const Aim aim : {Aim::kAveragePrecision, Aim::kLinearGain, Aim::kExponentialGain}) {
        braid::test::check_score_loss(RankingLoss(set, aim, 1), set, braid::test::seed());
        braid::test::check_score_loss(RankingLoss(set, aim, 2), set, braid::test::seed());
    }
}

TEST_CASE("svm-map: the loss is not below what the measure loses", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    braid::Random random(braid::test::seed());
    for (const auto& [aim, name] : kAims) {
        const TrainingMeasure measure(set, name);
        const RankingLoss loss(set, aim, 1);
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            for (const double spread : {0.01, 0.5, 3.0}) {
                const Weights scores = braid::test::random_scores(random, set.pool_size(q), spread);
                Weights slopes(scores.size());
                CHECK(loss.of_query(q, scores, slopes) * 8 >=
                      1 - measure.of_scores(q, scores) - 1e-12);
            }
        }
    }
}

TEST_CASE("svm-map: one relevant document by hand") {
    // Relevant at score s, irrelevant at 0 and -1: with both before it average precision is 1/3.
    const TrainingSet set{.rankers = {"a"},
                          .queries = {"1"},
                          .query_begin = {0, 3},
                          .scores = {0, 0, 0},
                          .grades = {1, 0, 0}};
    const RankingLoss loss(set, Aim::kAveragePrecision, 1);
    Weights slopes(3);
    // s = 0: none 0; the first before it 1/2 + 0; both 2/3 - (0 + 1): the first.
    CHECK_THAT(loss.of_query(0, Weights{0, 0, -1}, slopes), WithinRel(0.5, 1e-12));
    CHECK(slopes == Weights{-1, 1, 0});
    // s = -3: both: 2/3 + (3 + 2).
    CHECK_THAT(loss.of_query(0, Weights{-3, 0, -1}, slopes), WithinRel(2.0 / 3 + 5, 1e-12));
    CHECK(slopes == Weights{-2, 1, 1});
    CHECK(loss.of_query(0, Weights{2, 0, -1}, slopes) == 0);
    CHECK(slopes == Weights{0, 0, 0});
}

TEST_CASE("svm-map: grades, gains and c count") {
    const TrainingSet set = graded_set(braid::test::seed());
    const auto executor = braid::make_executor(1);
    const auto fit = [&](const std::string& learner, const LearnerOptions& options) {
        return braid::fit_learner(learner, set, options, *executor);
    };
    CHECK(fit("svm-map", {}).function !=
          fit("svm-map", {.judging = {.relevant_from = 2}}).function);
    CHECK(fit("svm-map", {}).function != fit("svm-map", {.parameters = {{"c", 0.1}}}).function);
    CHECK(fit("svm-ndcg", {}).function !=
          fit("svm-ndcg", {.choices = {{"gain", "linear"}}}).function);
    for (const std::string learner : {"svm-map", "svm-ndcg"}) {
        const TrainingResult result = fit(learner, {.parameters = {{"tolerance", 1e-5}}});
        CHECK(result.stop_reason == "converged");
        REQUIRE(result.bound);
        const double gap = result.curve.back().objective - *result.bound;
        CHECK(gap >= 0);
        CHECK(gap <= 1e-5 * result.curve.back().objective);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/bundle.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "braid/core/learn/losses/listwise_loss.h"
#include "braid/core/learn/losses/pair_loss.h"
#include "braid/core/learn/losses/ranking_loss.h"
#include "braid/core/learn/solvers/convex_learner.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

// |score of the first document - 3| of one query, so R(w) = |x . w - 3|.
class DistanceLoss : public braid::ScoreLoss {
  public:
    double of_query(std::size_t, std::span<const double> scores,
                    std::span<double> slopes) const override {
        slopes[0] = scores[0] > 3 ? 1 : -1;
        return std::abs(scores[0] - 3);
    }
};

TrainingSet one_row(const Weights& x) {
    TrainingSet set;
    for (std::size_t k = 0; k < x.size(); ++k) set.rankers.push_back("r" + std::to_string(k));
    set.queries = {"q"};
    set.query_begin = {0, 1};
    set.scores = x;
    set.grades = {1};
    return set;
}

TrainingSet noisy_set(std::size_t rankers = 5, std::uint64_t number = 0) {
    return braid::test::random_training(
        braid::test::seed() + number,
        {.queries = 10, .documents = 25, .rankers = rankers, .highest_grade = 2, .signal = 0.2});
}

double objective(const LinearRisk& risk, const Weights& weights, double c) {
    const Weights scores = risk.scores(weights);
    Weights slopes(scores.size());
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    return squares / 2 + c * risk.value(scores, slopes);
}

// The risk of a pairwise loss on a noisy set.
struct NoisyPairs {
    const TrainingSet set;
    const std::unique_ptr<Executor> executor = braid::make_executor(1);
    const PairLoss loss{set, {}};
    const LinearRisk risk{set, loss, *executor};

    explicit NoisyPairs(std::uint64_t number = 0) : set(noisy_set(5, number)) {}
};

}  // namespace

TEST_CASE("cut model: two cuts by hand") {
    // 1/2 w^2 + 2 max(0, 1 - w, -3 w - 1): at w = 1, where the multiplier of the second is 1.
    CutModel model(1, false);
    model.add(Weights{-1}, 1);
    model.add(Weights{-3}, -1);
    CHECK_THAT(model.maximise(2, 1e-12), WithinRel(0.5, 1e-9));
    CHECK_THAT(model.weights()[0], WithinRel(1.0, 1e-9));
    CHECK(model.multipliers()[0] == Approx(1).epsilon(1e-9));
    CHECK(model.multipliers()[1] == Approx(1).epsilon(1e-9));
    CHECK(model.multipliers()[2] == 0);
    // c = 1/2 can't pay for w = 1: w = 1/2, 1/8 + 1/4.
    CHECK_THAT(model.maximise(0.5, 1e-12), WithinRel(0.375, 1e-9));
    CHECK_THAT(model.weights()[0], WithinRel(0.5, 1e-9));
}

TEST_CASE("cut model: the bound is below the programme everywhere, and meets it", "[property]") {
    braid::Random random(braid::test::seed());
    for (const bool non_negative : {false, true}) {
        for (int round = 0; round < 20; ++round) {
            CutModel model(3, non_negative);
            std::vector<Weights> slopes = {Weights(3, 0)};
            Weights offsets = {0};
            for (int i = 0; i < 12; ++i) {
                slopes.push_back({random.normal(), random.normal(), random.normal()});
                offsets.push_back(random.uniform());
                model.add(slopes.back(), offsets.back());
            }
            const auto value = [&](const Weights& w) {
                double highest = 0;
                for (std::size_t i = 0; i < slopes.size(); ++i) {
                    highest = std::max(highest, slopes[i][0] * w[0] + slopes[i][1] * w[1] +
                                                    slopes[i][2] * w[2] + offsets[i]);
                }
                return 0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) + 3 * highest;
            };
            CHECK(model.maximise(3, 10) <= value(model.weights()) + 1e-12);
            const double bound = model.maximise(3, 1e-9);
            CHECK(value(model.weights()) == Approx(bound).margin(1e-8));
            for (int i = 0; i < 200; ++i) {
                Weights w = model.weights();
                for (double& part : w) part += 0.3 * random.normal();
                if (non_negative) {
                    for (double& part : w) part = std::max(part, 0.0);
                }
                CHECK(value(w) >= bound - 1e-9);
            }
            const std::size_t cuts = model.size();
            for (int i = 0; i < 3; ++i) model.maximise(3, 1e-9);
            model.drop_idle(2);
            CHECK(model.size() < cuts);
            CHECK(model.maximise(3, 1e-9) == Approx(bound).margin(1e-8));
        }
    }
}

TEST_CASE("bundle: a problem with a known minimum") {
    // 1/2 |w|^2 + c |x.w - 3|, x = (1, 2): w = t x, t = min(c, 3/5).
    const TrainingSet set = one_row({1, 2});
    const DistanceLoss loss;
    const auto executor = braid::make_executor(1);
    const LinearRisk risk(set, loss, *executor);
    for (const double c : {0.1, 0.5, 10.0}) {
        Bundle bundle(risk, false);
        const BundleState state = bundle.minimise({.c = c, .tolerance = 1e-10});
        const double t = std::min(c, 0.6);
        CHECK(state.converged);
        CHECK(state.weights[0] == Approx(t).epsilon(1e-4));
        CHECK(state.weights[1] == Approx(2 * t).epsilon(1e-4));
        const double least = 2.5 * t * t + c * (3 - 5 * t);
        CHECK_THAT(state.objective, WithinRel(least, 1e-8));
        CHECK(state.bound <= least + 1e-12);
    }
    // x = (-1, 2) and no negative weight: (0, 3/2).
    const TrainingSet mixed = one_row({-1, 2});
    const LinearRisk mixed_risk(mixed, loss, *executor);
    Bundle bundle(mixed_risk, true);
    const BundleState state = bundle.minimise({.c = 10, .tolerance = 1e-10});
    CHECK(state.weights[0] == 0);
    CHECK(state.weights[1] == Approx(1.5).epsilon(1e-6));
}

TEST_CASE("bundle: objectives fall, bounds rise, and never cross", "[property]") {
    const TrainingSet set = noisy_set();
    const auto executor = braid::make_executor(1);
    const PairLoss hinge(set, {.squared = false});
    const PairLoss squared(set, {.squared = true});
    const RankingLoss map(set, RankingLoss::Aim::kAveragePrecision, 1);
    const RankingLoss ndcg(set, RankingLoss::Aim::kExponentialGain, 1);
    for (const braid::ScoreLoss* loss :
         std::vector<const braid::ScoreLoss*>{&hinge, &squared, &map, &ndcg}) {
        const LinearRisk risk(set, *loss, *executor);
        for (const bool non_negative : {false, true}) {
            for (const double c : {0.5, 50.0, 5000.0}) {
                Bundle bundle(risk, non_negative);
                std::vector<BundleState> states;
                const BundleState end =
                    bundle.minimise({.c = c, .tolerance = 1e-6}, {}, [&](const auto& state) {
                        states.push_back(state);
                        return true;
                    });
                CHECK(end.converged);
                CHECK(end.objective - end.bound <= 1e-6 * end.objective);
                CHECK_THAT(objective(risk, end.weights, c), WithinRel(end.objective, 1e-9));
                for (std::size_t i = 0; i < states.size(); ++i) {
                    CHECK(states[i].iterations == i);
                    CHECK(states[i].bound <= end.objective * (1 + 1e-9));
                    if (i == 0) continue;
                    CHECK(states[i].objective <= states[i - 1].objective);
                    CHECK(states[i].bound >= states[i - 1].bound);
                }
                if (!non_negative) continue;
                CHECK(*std::min_element(end.weights.begin(), end.weights.end()) >= 0);
            }
        }
    }
}

TEST_CASE("bundle: no weights nearby are better", "[property]") {
    const TrainingSet set = noisy_set();
    const auto executor = braid::make_executor(1);
    const RankingLoss loss(set, RankingLoss::Aim::kAveragePrecision, 1);
    const LinearRisk risk(set, loss, *executor);
    Bundle bundle(risk, false);
    const BundleState end = bundle.minimise({.c = 100, .tolerance = 1e-7});
    braid::Random random(braid::test::seed());
    for (const double spread : {1e-3, 1e-1, 10.0}) {
        for (int i = 0; i < 50; ++i) {
            Weights other = end.weights;
            for (double& weight : other) weight += spread * random.normal();
            CHECK(objective(risk, other, 100) >= end.bound);
        }
    }
}

TEST_CASE("bundle: another c goes on with the cuts there are") {
    // Cuts save iterations on the whole, not on every set.
    std::size_t with_cuts = 0;
    std::size_t without = 0;
    for (std::uint64_t number = 0; number < 10; ++number) {
        const NoisyPairs noisy(number);
        Bundle warm(noisy.risk, false);
        warm.minimise({.c = 100, .tolerance = 1e-6});
        const BundleState after = warm.minimise({.c = 120, .tolerance = 1e-6});
        Bundle cold(noisy.risk, false);
        const BundleState alone = cold.minimise({.c = 120, .tolerance = 1e-6});
        CHECK(after.objective == Approx(alone.objective).epsilon(2e-6));
        with_cuts += after.iterations;
        without += alone.iterations;
        // A start far off changes the way, not the end.
        Bundle other(noisy.risk, false);
        const BundleState far = other.minimise({.c = 120, .tolerance = 1e-6}, Weights(5, -7));
        CHECK(far.objective == Approx(alone.objective).epsilon(2e-6));
    }
    CHECK(with_cuts < without);
}

TEST_CASE("bundle: stops when told to, and at its limit") {
    const NoisyPairs noisy;
    Bundle bundle(noisy.risk, false);
    const BundleState three = bundle.minimise({.c = 1e6, .tolerance = 1e-12, .iterations = 3});
    CHECK(three.iterations == 3);
    CHECK(!three.converged);
    const BundleState told =
        Bundle(noisy.risk, false).minimise({.c = 1e6}, {}, [](const BundleState& state) {
            return state.iterations < 2;
        });
    CHECK(told.iterations == 2);
}

TEST_CASE("smooth descent: ends where the bundle method ends", "[property]") {
    const TrainingSet set = noisy_set();
    const auto executor = braid::make_executor(1);
    const PairLoss squared(set, {.squared = true});
    const braid::TopOneLoss first(set);
    const braid::PlackettLuceLoss likely(set, braid::PlackettLuceLoss::Costs::kQueries);
    for (const braid::ScoreLoss* loss :
         std::vector<const braid::ScoreLoss*>{&squared, &first, &likely}) {
        REQUIRE(loss->is_smooth());
        const LinearRisk risk(set, *loss, *executor);
        for (const bool non_negative : {false, true}) {
            for (const double c : {0.5, 50.0, 1000.0}) {
                std::vector<BundleState> states;
                const BundleState end = braid::minimise_smooth(
                    risk, {.c = c, .tolerance = 1e-7}, non_negative, [&](const auto& state) {
                        states.push_back(state);
                        return true;
                    });
                CHECK(end.converged);
                CHECK_THAT(objective(risk, end.weights, c), WithinRel(end.objective, 1e-9));
                const BundleState other =
                    Bundle(risk, non_negative).minimise({.c = c, .tolerance = 1e-5});
                CHECK(end.objective == Approx(other.objective).epsilon(2e-5));
                CHECK(end.objective >= other.bound * (1 - 1e-12));
                for (std::size_t i = 1; i < states.size(); ++i) {
                    CHECK(states[i].objective < states[i - 1].objective);
                    CHECK(states[i].bound <= end.objective);
                }
                if (!non_negative) continue;
                CHECK(*std::min_element(end.weights.begin(), end.weights.end()) >= 0);
            }
        }
    }
}

TEST_CASE("smooth descent: a weight that would be negative stays at 0") {
    TrainingSet set = noisy_set();
    for (std::size_t i = 0; i < set.rows(); ++i) set.scores[5 * i + 2] = -set.grades[i];
    const auto executor = braid::make_executor(1);
    const PairLoss loss(set, {.squared = true});
    const LinearRisk risk(set, loss, *executor);
    const BundleState end = braid::minimise_smooth(risk, {.c = 10, .tolerance = 1e-8}, true);
    CHECK(end.converged);
    CHECK(end.weights[2] == 0);
    CHECK(end.weights[0] > 0);
    CHECK(braid::minimise_smooth(risk, {.c = 10, .tolerance = 1e-12, .iterations = 2}, true)
              .iterations == 2);
}

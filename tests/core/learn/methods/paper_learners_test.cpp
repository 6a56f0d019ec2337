// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/base/newton.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

// The learners of the papers gEnM and EnM, each by what only it promises.

namespace {

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(1));
}

Weights weights(const TrainingResult& result) {
    return std::get<LinearFunction>(result.function).weights;
}

TrainingSet noisy_set(std::size_t queries = 12) {
    return braid::test::random_training(braid::test::seed(), {.queries = queries, .signal = 0.15});
}

// Average precisions (1, 7/12, 1) and (1/2, 1, 1).
TrainingSet boosting_example() {
    return {.rankers = {"tfidf", "ldi"},
            .queries = {"1", "2", "3"},
            .query_begin = {0, 2, 5, 7},
            .scores = {3, 1, 2, 2, /**/ 3, 1, 2, 3, 1, 2, /**/ 3, 2, 2, 1},
            .grades = {1, 0, 0, 1, 1, 1, 0}};
}

double distance_from_uniform(const TrainingResult& result) {
    double largest = 0;
    const Weights found = weights(result);
    for (const double weight : found) {
        largest = std::max(largest, std::abs(weight - 1 / static_cast<double>(found.size())));
    }
    return largest;
}

}  // namespace

TEST_CASE("enm-b: a worked example") {
    const TrainingSet set = boosting_example();
    const TrainingMeasure measure(set, "map");
    REQUIRE_THAT(measure.mean(LinearFunction{{1, 0}}), WithinRel((2 + 7.0 / 12) / 3, 1e-12));
    REQUIRE_THAT(measure.mean(LinearFunction{{0, 1}}), WithinRel(2.5 / 3, 1e-12));
    // delta = 1/2 ln((1 + E) / (1 - E)); the queries then weigh e^-1, e^-(7/12), e^-1.
    const double first = (2 + 7.0 / 12) / 3;
    const double alpha = 0.5 * std::log((1 + first) / (1 - first));
    CHECK(alpha == Approx(1.298).margin(5e-4));
    const double one = std::exp(-1.0);
    const double two = std::exp(-7.0 / 12);
    const double second = (one * 0.5 + two + one) / (2 * one + two);
    const double beta = 0.5 * std::log((1 + second) / (1 - second));
    CHECK(beta == Approx(1.285).margin(5e-4));

    CHECK(weights(fit("enm-b", set, {.parameters = {{"rounds", 1}}})) == Weights{1, 0});
    const TrainingResult result = fit("enm-b", set, {.parameters = {{"rounds", 2}}});
    CHECK(result.iterations == 2);
    CHECK_THAT(weights(result)[0], WithinRel(alpha / (alpha + beta), 1e-12));
}

TEST_CASE("enm-b: every ranker has its turn before one has a second") {
    const TrainingSet set = noisy_set();
    const TrainingResult four =
        fit("enm-b", set, {.parameters = {{"rounds", 4}, {"tolerance", 0}}});
    for (const double weight : weights(four)) CHECK(weight > 0);
    const TrainingResult three =
        fit("enm-b", set, {.parameters = {{"rounds", 3}, {"tolerance", 0}}});
    const Weights found = weights(three);
    CHECK(std::count(found.begin(), found.end(), 0) == 1);
    CHECK(fit("enm-b", set, {.parameters = {{"tolerance", 1}}}).iterations == 1);
}

TEST_CASE("enm-b: a ranker without fault has the longest step, not an infinite one") {
    TrainingSet set = noisy_set(3);
    for (std::size_t i = 0; i < set.rows(); ++i) set.scores[4 * i + 1] = set.grades[i];
    const TrainingResult result = fit("enm-b", set, {.parameters = {{"longest-step", 3}}});
    CHECK(result.objective == 1);
    CHECK(weights(result)[1] > 0.4);
}

TEST_CASE("newton: the direction leads up, and is Newton's where it may be") {
    // Maximum of -x^2 - 2 y^2 + x + 4 y from (0, 0): (1/2, 1).
    const Weights step = braid::ascent_direction(Weights{1, 4}, Weights{-2, 0, 0, -4});
    CHECK_THAT(step[0], WithinRel(0.5, 1e-12));
    CHECK_THAT(step[1], WithinRel(1.0, 1e-12));
    // A saddle: the wrong curvature is turned round.
    const Weights saddle = braid::ascent_direction(Weights{1, 4}, Weights{-2, 0, 0, 4});
    CHECK_THAT(saddle[1], WithinRel(1.0, 1e-12));
    const Weights flat = braid::ascent_direction(Weights{1, 4}, Weights(4, 0));
    CHECK(flat == Weights{1, 4});
    const Weights balanced =
        braid::balanced_ascent_direction(Weights{3, 1, 1}, Weights{-1, 0, 0, 0, -1, 0, 0, 0, -1});
    CHECK(balanced[0] == Approx(4.0 / 3));
    CHECK(balanced[1] == Approx(-2.0 / 3));
    CHECK(balanced[0] + balanced[1] + balanced[2] == Approx(0).margin(1e-12));
}

// Table 1 of the paper, whose printed values don't follow from its scores.
TEST_CASE("genm-bat: finds weights that rank the paper's first example without fault") {
    const TrainingSet set{.rankers = {"1", "2"},
                          .queries = {"q"},
                          .query_begin = {0, 3},
                          .scores = {.35, .2, .4, .1, .25, .7},
                          .grades = {0, 1, 1}};
    const TrainingMeasure measure(set, "map");
    for (const Weights& poor : {Weights{1, 0}, Weights{0, 1}, Weights{.5, .5}}) {
        CHECK_THAT(measure.mean(LinearFunction{poor}), WithinRel(5.0 / 6, 1e-12));
    }
    CHECK(measure.mean(LinearFunction{{.7, .3}}) == 1);
    CHECK(measure.mean(fit("genm-bat", set).function) == 1);
}

TEST_CASE("genm: every start is tried, and the best by the measure is kept") {
    const TrainingSet set = noisy_set();
    const TrainingMeasure measure(set, "map");
    for (const std::string learner : {"genm-on", "genm-ip"}) {
        INFO(learner);
        const TrainingResult one = fit(learner, set);
        CHECK(one.starts.empty());
        const TrainingResult all = fit(learner, set, {.choices = {{"start", "zero-one"}}});
        REQUIRE(all.starts.size() == 15);
        CHECK(all.starts[0].weights == Weights(4, .25));
        CHECK(measure.mean(all.function) >= measure.mean(one.function) - 1e-12);
        std::size_t same = 0;
        for (const StartCurve& start : all.starts) {
            CHECK(start.curve.size() > 1);
            same += start.curve == all.curve ? 1 : 0;
        }
        CHECK(same >= 1);
        const TrainingResult two =
            fit(learner, set, {.parameters = {{"starts", 2}}, .choices = {{"start", "zero-one"}}});
        CHECK(two.starts.size() == 2);
        CHECK_THROWS_WITH(fit(learner, set, {.parameters = {{"starts", 2}}}),
                          Contains("start=zero-one"));
        const Weights anchor = {.1, .2, .3, .4};
        const TrainingResult from =
            fit(learner, set, {.choices = {{"start", "anchor"}}, .anchor = anchor});
        CHECK(from.curve[0].objective != one.curve[0].objective);
    }
    const TrainingResult unjudged = fit("uns-enm", set, {.choices = {{"start", "zero-one"}}});
    REQUIRE(unjudged.starts.size() == 15);
    CHECK(fit("uns-enm", set).starts.empty());
}

TEST_CASE("genm-on: goes on from the best of several starts") {
    const TrainingSet set = noisy_set();
    LearnerOptions options{.parameters = {{"passes", 1}, {"tolerance", 0}},
                           .choices = {{"start", "zero-one"}}};
    const TrainingResult first = fit("genm-on", set, options);
    options.state = first.state;
    const TrainingResult second = fit("genm-on", set, options);
    CHECK(second.starts.empty());
    CHECK(second.curve[0].objective == Approx(first.curve.back().objective));
}

TEST_CASE("genm-bat: starts") {
    const auto all = braid::binary_starts(4, 64, 1);
    CHECK(all.size() == 15);
    CHECK(all[0] == Weights(4, 0.25));
    CHECK(all[2] == Weights{0, 1, 0, 0});
    const auto some = braid::binary_starts(30, 64, 1);
    CHECK(some.size() == 64);
    CHECK(some != braid::binary_starts(30, 64, 2));
    auto distinct = some;
    std::sort(distinct.begin(), distinct.end());
    CHECK(std::unique(distinct.begin(), distinct.end()) == distinct.end());
    for (const Weights& start : some) {
        double sum = 0;
        for (const double weight : start) sum += weight;
        CHECK(sum == Approx(1));
    }
    CHECK(braid::binary_starts(4, 1, 1).size() == 1);
}

TEST_CASE("genm-bat: never worse than uniform, and close to the best there is") {
    for (const std::string negative : {"clip", "project"}) {
        // One ascent may end at a lower summit than exact search: the means over four sets are
        // near.
        double gain = 0;
        double most = 0;
        for (std::uint64_t i = 0; i < 4; ++i) {
            const TrainingSet set = braid::test::random_training(4 * braid::test::seed() + i,
                                                                 {.queries = 12, .signal = 0.15});
            const TrainingMeasure measure(set, "map");
            const double uniform = measure.mean(LinearFunction{Weights(4, 0.25)});
            const TrainingResult result =
                fit("genm-bat", set, {.choices = {{"negative", negative}}});
            const double found = measure.mean(result.function);
            const double best = fit("coordinate", set).objective;
            CHECK(found > uniform);
            CHECK(found <= best + 0.01);
            gain += found - uniform;
            most += best - uniform;
            // Each ascent goes up.
            for (std::size_t j = 1; j < result.curve.size(); ++j) {
                CHECK(result.curve[j].objective > result.curve[j - 1].objective);
            }
        }
        CHECK(gain > 0.7 * most);
    }
}

TEST_CASE("genm-bat: screening loses next to nothing, also on a sample of the queries") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 60, .documents = 60, .rankers = 7, .signal = 0.2});
    const TrainingMeasure measure(set, "map");
    const auto found = [&](const braid::ParameterMap& parameters) {
        return measure.mean(fit("genm-bat", set, {.parameters = parameters}).function);
    };
    const double uniform = measure.mean(LinearFunction{Weights(7, 1.0 / 7)});
    const double all = found({{"screening", 0}});
    const double screened = found({});
    const double sampled = found({{"sample", 20}});
    CHECK(screened > all - 0.1 * (all - uniform));
    CHECK(sampled > all - 0.1 * (all - uniform));
    CHECK(screened <= all);
    CHECK(found({{"finalists", 1}}) <= screened);
    const auto with = [&](std::size_t threads) {
        return braid::fit_learner("genm-bat", set, {.parameters = {{"sample", 20}}},
                                  *braid::make_executor(threads));
    };
    CHECK(weights(with(1)) == weights(with(4)));
    CHECK(with(1).curve == with(4).curve);
}

TEST_CASE("genm-bat: ends where the gradient does") {
    const TrainingSet set = noisy_set();
    const SmoothMeasure measure(set, {.beta = 5});
    const TrainingResult result =
        fit("genm-bat", set,
            {.parameters = {
                 {"beta", 5}, {"l2", 0.01}, {"starts", 1}, {"tolerance", 0}, {"iterations", 500}}});
    CHECK(result.stop_reason == "converged");
    CHECK(result.objective > result.curve[0].objective);
    // Blunt, the surrogate prefers long weights: it is not the measure at sum 1.
    CHECK(result.objective > measure.value(weights(result), *braid::make_executor(1)));
}

TEST_CASE("genm-bat: options change the way") {
    const TrainingSet set = noisy_set();
    const TrainingResult plain = fit("genm-bat", set, {.parameters = {{"starts", 1}}});
    const auto differs = [&](const LearnerOptions& options) {
        return weights(fit("genm-bat", set, options)) != weights(plain);
    };
    CHECK(differs({.parameters = {{"starts", 1}, {"beta", 20}}}));
    CHECK(differs({.parameters = {{"starts", 1}, {"window", 2}}}));
    CHECK(differs({.parameters = {{"starts", 1}, {"first-beta", 10}}}));
    CHECK(differs({.parameters = {{"starts", 1}, {"iterations", 1}}}));
    CHECK(differs({.parameters = {{"starts", 1}, {"l2", 0.1}}}));
    CHECK(differs({.parameters = {{"starts", 1}}, .choices = {{"aim", "ndcg"}}}));
    const TrainingResult pulled =
        fit("genm-bat", set, {.parameters = {{"starts", 1}, {"l2", 1e5}}});
    CHECK(distance_from_uniform(pulled) < 1e-2);
}

TEST_CASE("genm-bat: stops when told to") {
    const TrainingSet set = noisy_set();
    const auto stop = [](const braid::ProgressReport& report) { return report.done < 3; };
    for (const std::size_t threads : {1U, 4U}) {
        CHECK_THROWS_AS(
            braid::fit_learner("genm-bat", set, {}, *braid::make_executor(threads), stop),
            braid::Cancelled);
    }
}

TEST_CASE("genm-on: the first step is half a gradient") {
    const TrainingSet set = noisy_set(1);
    const SmoothMeasure measure(set, {.beta = 3});
    const Weights start(4, 0.25);
    const Weights gradient = measure.of_query(0, start).gradient;
    const TrainingResult result =
        fit("genm-on", set, {.parameters = {{"beta", 3}, {"passes", 1}, {"longest-step", 0}}});
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK_THAT(result.state.values.at("weights")[k],
                   WithinRel(start[k] + gradient[k] / 2, 1e-12));
    }
    CHECK(result.state.values.at("steps") == Weights{2});
}

TEST_CASE("genm-on: goes on as if it had never stopped") {
    const TrainingSet set = noisy_set();
    for (const std::string steps : {"inverse", "adagrad"}) {
        for (const std::string which : {"last", "averaged"}) {
            LearnerOptions options{.parameters = {{"passes", 2}, {"tolerance", 0}},
                                   .choices = {{"steps", steps}, {"weights", which}}};
            const TrainingResult both = fit("genm-on", set, options);
            options.parameters["passes"] = 1;
            options.state = fit("genm-on", set, options).state;
            const TrainingResult second = fit("genm-on", set, options);
            CHECK(second.state == both.state);
            CHECK(second.function == both.function);
        }
    }
}

TEST_CASE("genm-on: learns one new query at a time") {
    const TrainingSet set = noisy_set(4);
    const TrainingResult all =
        fit("genm-on", set, {.parameters = {{"passes", 1}, {"tolerance", 0}}});
    LearnerOptions options{.parameters = {{"passes", 1}, {"tolerance", 0}}};
    for (std::size_t q = 0; q < 4; ++q) {
        const std::vector<std::size_t> one = {q};
        options.state = fit("genm-on", braid::subset(set, one), options).state;
    }
    CHECK(*options.state == all.state);
}

TEST_CASE("genm-on: wrong states") {
    const TrainingSet set = noisy_set(3);
    const braid::LearnerState good = fit("genm-on", set).state;
    const auto refused = [&](const auto& change, const std::string& message) {
        braid::LearnerState state = good;
        change(state.values);
        CHECK_THROWS_WITH(fit("genm-on", set, {.state = state}), Contains(message));
    };
    refused([](auto& values) { values["weights"].pop_back(); },
            "3 numbers \"weights\", expected 4");
    refused([](auto& values) { values.erase("squares"); }, "0 numbers \"squares\"");
    refused([](auto& values) { values["average"][1] = NAN; }, "finite");
    refused([](auto& values) { values["steps"] = {0}; }, "steps");
}

TEST_CASE("genm-on: improves on where it began") {
    const TrainingSet set = noisy_set(30);
    for (const std::string steps : {"inverse", "adagrad"}) {
        const TrainingResult result = fit("genm-on", set,
                                          {.parameters = {{"beta", 20}, {"rate", 0.1}},
                                           .choices = {{"steps", steps}, {"order", "shuffled"}}});
        CHECK(result.objective > result.curve[0].objective);
    }
}

TEST_CASE("genm-ip: finds the maximum between two rankers") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 20, .rankers = 2, .signal = 0.2});
    const SmoothMeasure measure(set, {.beta = 4});
    const auto executor = braid::make_executor(1);
    double best = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double w = i / 1000.0;
        best = std::max(best, measure.value(Weights{w, 1 - w}, *executor));
    }
    const TrainingResult result = fit("genm-ip", set, {.parameters = {{"beta", 4}}});
    CHECK(result.objective == Approx(best).margin(1e-5));
    CHECK(measure.value(weights(result), *executor) == Approx(result.objective).margin(1e-9));
}

TEST_CASE("genm-ip: a useless ranker goes to the edge") {
    TrainingSet set = noisy_set();
    for (std::size_t i = 0; i < set.rows(); ++i) set.scores[4 * i + 3] = 1 - set.scores[4 * i];
    const Weights found = weights(fit("genm-ip", set, {.parameters = {{"beta", 20}}}));
    CHECK(found[3] < 1e-3);
    CHECK(found[3] >= 0);
}

TEST_CASE("uns-enm: does not look at judgements") {
    TrainingSet set = noisy_set();
    const Weights found = weights(fit("uns-enm", set));
    for (braid::Grade& grade : set.grades) grade = 1 - grade;
    CHECK(weights(fit("uns-enm", set)) == found);
    set.grades.assign(set.rows(), braid::kUnjudged);
    CHECK(weights(fit("uns-enm", set)) == found);
}

TEST_CASE("uns-enm: rankers that agree gain, unless the penalty holds them") {
    // Rankers 0 and 2 know something, 1 and 3 are noise.
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 20, .signal = 1});
    const Weights free = weights(fit("uns-enm", set, {.parameters = {{"sigma", 0}, {"top", 5}}}));
    CHECK(free[0] + free[2] > free[1] + free[3]);
    const TrainingResult held = fit("uns-enm", set, {.parameters = {{"sigma", 1e6}}});
    CHECK(distance_from_uniform(held) < 1e-3);
    CHECK_THAT(held.stop_reason, Contains("the result is the anchor, uniform weights"));
    CHECK_THAT(fit("uns-enm", set).stop_reason, !Contains("anchor"));
    CHECK(distance_from_uniform(fit("uns-enm", set)) > 0.01);
    const Weights by_threshold = weights(fit(
        "uns-enm", set,
        {.parameters = {{"sigma", 0}, {"threshold", 1}}, .choices = {{"pretend", "threshold"}}}));
    CHECK(by_threshold != free);
    CHECK(by_threshold[0] + by_threshold[2] > by_threshold[1] + by_threshold[3]);
}

TEST_CASE("uns-enm: sigma means the same for all pools and sizes of scores") {
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 20, .signal = 1});
    const auto moved = [&](const TrainingSet& from, double beta) {
        return weights(fit("uns-enm", from, {.parameters = {{"beta", beta}}}));
    };
    const Weights once = moved(set, 64);
    // Scores of another size, and as blunt a sigmoid: the same problem.
    TrainingSet large = set;
    for (double& score : large.scores) score *= 16;
    const Weights scaled = moved(large, 4);
    // The gradient is by weights, which have not changed, so all is the same.
    for (std::size_t k = 0; k < once.size(); ++k) CHECK(scaled[k] == Approx(once[k]).epsilon(1e-9));
    // Levels of scores rank nothing.
    for (std::size_t i = 0; i < set.rows(); ++i) large.scores[4 * i] = set.scores[4 * i] + 3;
    for (std::size_t i = 0; i < set.rows(); ++i) {
        for (std::size_t k = 1; k < 4; ++k) large.scores[4 * i + k] = set.scores[4 * i + k];
    }
    const Weights shifted = moved(large, 64);
    for (std::size_t k = 0; k < once.size(); ++k)
        CHECK(shifted[k] == Approx(once[k]).epsilon(1e-6));
}

TEST_CASE("uns-enm: a copy gives its original no more say") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 20, .rankers = 3, .signal = 1});
    TrainingSet copied = set;
    copied.rankers.push_back("copy");
    copied.scores.clear();
    for (std::size_t i = 0; i < set.rows(); ++i) {
        copied.scores.insert(copied.scores.end(), set.row(i).begin(), set.row(i).end());
        copied.scores.push_back(set.row(i)[1]);  // Noise, which would praise itself.
    }
    const Weights found =
        weights(fit("uns-enm", copied, {.parameters = {{"sigma", 0}, {"top", 5}}}));
    CHECK(found[1] == Approx(found[3]).epsilon(1e-9));
    CHECK(found[0] > found[1] + found[3]);
    CHECK(found[2] > found[1] + found[3]);
    // Nothing but copies: nobody teaches, and the anchor stays.
    TrainingSet same = set;
    for (std::size_t i = 0; i < set.rows(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) same.scores[3 * i + k] = set.scores[3 * i];
    }
    CHECK_THAT(fit("uns-enm", same).stop_reason, Contains("the result is the anchor"));
}

TEST_CASE("uns-enm: is held back to the anchor, and begins where it is told to") {
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 12, .signal = 1});
    const Weights anchor = {0.5, 0.2, 0.2, 0.1};
    const auto found = [&](const std::string& start, double sigma, double rounds) {
        return fit("uns-enm", set,
                   {.parameters = {{"sigma", sigma}, {"rounds", rounds}},
                    .choices = {{"start", start}},
                    .anchor = anchor});
    };
    const TrainingResult held = found("uniform", 1e9, 10);
    for (std::size_t k = 0; k < 4; ++k) CHECK(weights(held)[k] == Approx(anchor[k]).margin(1e-3));
    CHECK_THAT(held.stop_reason, Contains("the result is the anchor, the weights as before"));
    CHECK(weights(found("anchor", 0, 1)) != weights(found("uniform", 0, 1)));
    // The best of all starts by the objective: as good as from the anchor at least.
    CHECK(found("zero-one", 0.1, 10).objective >= found("uniform", 0.1, 10).objective);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>
#include <set>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

// What every learner of the registry promises.

namespace {

using namespace braid;
using namespace braid::test;

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(threads));
}

// The numbers a function is made of, magnitudes of which sum to 1: weights, rises of steps, or
// those of the functions that vote, each of which has its share.
std::vector<double> weights(const TrainingResult& result) {
    // Of query-dependent weights the part that all queries share.
    if (const auto* attention = std::get_if<braid::AttentionFunction>(&result.function)) {
        std::vector<double> base = attention->base;
        if (attention->softmax) braid::to_softmax(base);
        return base;
    }
    if (const auto* steps = std::get_if<braid::StepFunction>(&result.function)) {
        return steps->rises;
    }
    if (const auto* borda = std::get_if<braid::BordaFunction>(&result.function)) {
        std::vector<double> all;
        for (const std::vector<double>& part : borda->functions) {
            for (const double weight : part) {
                all.push_back(weight / static_cast<double>(borda->functions.size()));
            }
        }
        return all;
    }
    if (const auto* pool = std::get_if<braid::SemiSupervisedFunction>(&result.function)) {
        return pool->base;
    }
    if (const auto* forest = std::get_if<braid::ForestFunction>(&result.function)) {
        return forest->weights;
    }
    return std::get<LinearFunction>(result.function).weights;
}

}  // namespace

TEST_CASE("learners: entries describe themselves") {
    std::set<std::string> names;
    for (const LearnerInfo& info : braid::learners()) {
        INFO(info.name);
        CHECK(names.insert(info.name).second);
        CHECK(!info.summary.empty());
        for (const braid::ParameterInfo& parameter : info.parameters) {
            INFO(parameter.name);
            CHECK(!parameter.summary.empty());
            CHECK(parameter.minimum <= parameter.default_value);
            CHECK(parameter.default_value <= parameter.maximum);
        }
    }
}

TEST_CASE("learners: weights are finite, scaled, and say how they came about", "[conformance]") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 20});
    for (const LearnerInfo& info : braid::learners()) {
        INFO(info.name);
        const TrainingResult result = fit(info.name, set);
        double sum = 0;
        for (const double weight : weights(result)) {
            REQUIRE(std::isfinite(weight));
            if (!info.may_weigh_negatively) CHECK(weight >= 0);
            sum += std::abs(weight);
        }
        CHECK(sum == Approx(1).epsilon(1e-12));
        CHECK(std::isfinite(result.objective));
        CHECK(!result.objective_name.empty());
        CHECK(!result.stop_reason.empty());
        CHECK(!result.curve.empty());
        CHECK(result.warnings.empty());
        CHECK(info.resumable == !result.state.values.empty());
    }
}

TEST_CASE("learners: the same bits at any number of threads", "[conformance]") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 40, .with_ties = true, .signal = 0.1});
    for (const LearnerInfo& info : braid::learners()) {
        INFO(info.name);
        const TrainingResult one = fit(info.name, set);
        for (const std::size_t threads : {2U, 8U}) {
            const TrainingResult other = fit(info.name, set, {}, threads);
            CHECK(other.function == one.function);
            CHECK(other.objective == one.objective);
            CHECK(other.iterations == one.iterations);
            CHECK(other.curve == one.curve);
        }
    }
}

TEST_CASE("learners: odd sets give a finite result and say what is odd", "[conformance]") {
    const TrainingSet good = braid::test::random_training(braid::test::seed(), {.queries = 6});
    TrainingSet constant = good;
    TrainingSet copies = good;
    for (std::size_t i = 0; i < good.rows(); ++i) {
        constant.scores[i * 4 + 1] = 1;
        copies.scores[i * 4 + 1] = copies.scores[i * 4];
    }
    const std::vector<std::size_t> first = {0};
    const TrainingSet single = braid::with_rankers(good, first);
    TrainingSet partly = good;
    for (std::size_t i = 0; i < 40; ++i) partly.grades[i] = 0;
    for (std::size_t i = 40; i < 80; ++i) partly.grades[i] = 1;
    TrainingSet all_constant = good;
    for (double& score : all_constant.scores) score = 2;
    const std::vector<TrainingSet> sets = {constant, copies, single, partly, all_constant};
    for (const TrainingSet& set : sets) {
        for (const LearnerInfo& info : braid::learners()) {
            INFO(info.name);
            const TrainingResult result = fit(info.name, set);
            CHECK(!result.warnings.empty());
            double sum = 0;
            for (const double weight : weights(result)) {
                REQUIRE(std::isfinite(weight));
                sum += std::abs(weight);
            }
            // Where all rankers are constant there is no step to take.
            const bool is_without_steps = weights(result).empty() && &set == &sets.back();
            CHECK(sum == Approx(is_without_steps ? 0 : 1).epsilon(1e-12));
        }
    }
}

TEST_CASE("learners: wrong input is refused with what is wrong", "[conformance]") {
    const TrainingSet good = braid::test::random_training(braid::test::seed(), {.queries = 4});
    TrainingSet unjudged = good;
    unjudged.grades.assign(good.rows(), braid::kUnjudged);
    TrainingSet irrelevant = good;
    irrelevant.grades.assign(good.rows(), 0);
    TrainingSet broken = good;
    broken.scores[5] = std::numeric_limits<double>::quiet_NaN();
    TrainingSet other = good;
    other.rankers[0] = "other";
    for (const LearnerInfo& info : braid::learners()) {
        INFO(info.name);
        CHECK_THROWS_WITH(fit(info.name, broken), Contains("'r1'"));
        CHECK_THROWS_AS(fit(info.name, good, {.parameters = {{"colour", 1}}}),
                        braid::UnknownComponent);
        CHECK_THROWS_AS(fit(info.name, good, {.choices = {{"colour", "red"}}}),
                        braid::UnknownComponent);
        CHECK_THROWS_AS(fit(info.name, good, {.measure = "mapp"}), braid::UnknownComponent);
        CHECK_THROWS_WITH(fit(info.name, good, {.validation = &other}), Contains("other rankers"));
        CHECK_THROWS_AS(fit(info.name, good, {.validation = &unjudged}), braid::InvalidArgument);
        if (!info.resumable) {
            CHECK_THROWS_WITH(fit(info.name, good, {.state = braid::LearnerState{}}),
                              Contains("can't go on"));
        }
        if (info.needs_judgements) {
            CHECK_THROWS_WITH(fit(info.name, unjudged),
                              Contains("none of the 4 queries is judged"));
            CHECK_THROWS_WITH(fit(info.name, irrelevant),
                              Contains("4 have no document of grade 1"));
        } else {
            CHECK_NOTHROW(fit(info.name, unjudged));
        }
    }
    CHECK_THROWS_WITH(fit("genmbat", good), Contains("uniform"));
}

TEST_CASE("learners: validation is on the curve", "[conformance]") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 20});
    const TrainingSet held_out = braid::test::random_training(braid::test::seed() + 1);
    for (const LearnerInfo& info : braid::learners()) {
        INFO(info.name);
        const TrainingResult result = fit(info.name, set, {.validation = &held_out});
        const double value = braid::TrainingMeasure(held_out, "map").mean(result.function);
        double best = 0;
        for (const braid::CurvePoint& point : result.curve) {
            REQUIRE(point.validation);
            best = std::max(best, *point.validation);
        }
        CHECK(value == Approx(best).epsilon(1e-12));
    }
}

TEST_CASE("learners: uniform weighs all alike") {
    const TrainingSet set = braid::test::random_training(braid::test::seed());
    CHECK(weights(fit("uniform", set)) == std::vector<double>(4, 0.25));
    CHECK(fit("uniform", set).objective ==
          braid::TrainingMeasure(set, "map").mean(LinearFunction{{0.25, 0.25, 0.25, 0.25}}));
}

TEST_CASE("rankboost: ten thresholds and steps by the edge where nothing is said") {
    const braid::TrainingSet set = braid::test::random_training(braid::test::seed());
    const auto executor = braid::make_executor(1);
    const auto learned = [&](const braid::LearnerOptions& options) {
        return braid::fit_learner("rankboost", set, options, *executor).function;
    };
    CHECK(learned({}) ==
          learned({.parameters = {{"thresholds", 10}}, .choices = {{"steps", "edge"}}}));
    CHECK(learned({}) != learned({.choices = {{"steps", "exact"}}}));
    CHECK(learned({}) != learned({.parameters = {{"thresholds", 0}}}));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Weights by query: the descent, the fit, and what asks whether they pay.
#include <cmath>
#include <span>
#include <utility>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_solver.h"
#include "braid/tests/core/learn/planted_queries.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

}  // namespace

TEST_CASE("Lists: gradients of embeddings are the finite differences", "[property]") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 4);
    const ListObjective objective(set, {.diversity = 0.2});
    const bool is_cut = GENERATE(false, true);
    // The first weight is below 0 for some queries, the others for none.
    braid::AttentionDescent descent(objective,
                                    {.dimensions = 2, .shrink = 0.3, .non_negative = is_cut},
                                    is_cut ? Values{1e-3, 0.4, 0.3} : Values{0.5, 0.4, 0.3});
    // Where it begins some derivatives are nothing.
    braid::Random random(braid::test::seed(), 5);
    for (double& x : descent.function().rankers) x = 0.1 * random.normal();
    const std::size_t q = GENERATE(0U, 1U, 2U, 3U);
    const auto value = [&] { return descent.value(q, objective.whole(q), nullptr); };
    braid::AttentionDescent::Gradient gradient;
    descent.value(q, objective.whole(q), &gradient);
    const auto check = [&](Values& numbers, const Values& derivatives) {
        REQUIRE(numbers.size() == derivatives.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double before = numbers[i];
            numbers[i] = before + 1e-5;
            const double up = value();
            numbers[i] = before - 1e-5;
            const double down = value();
            numbers[i] = before;
            CHECK(derivatives[i] == Approx((up - down) / 2e-5).epsilon(1e-6).margin(1e-7));
        }
    };
    check(descent.function().rankers, gradient.rankers);
    check(descent.function().matrix, gradient.matrix);
    check(descent.function().offset, gradient.place);
}

TEST_CASE("Lists: weights by query begin at those of all queries") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 10);
    const ListObjective objective(set, {});
    const Values base = {0.5, 0.4, 0.3};
    braid::AttentionDescent descent(objective, {}, base);
    bool is_first = true;
    descent.run([&](double value, const AttentionFunction& function) {
        for (std::size_t q = 0; q < 10; ++q) {
            const Values weights = braid::attention_weights(
                function, set.queries[q], std::span(set.query_features).subspan(2 * q, 2));
            CHECK((weights == base) == is_first);
        }
        if (is_first) CHECK(value >= objective.mean(base));
        if (is_first) CHECK(value < objective.mean(base) * (1 + 1e-3));
        return std::exchange(is_first, false);
    });
    CHECK_FALSE(is_first);
}

namespace {

// Numbers about 0, in which no derivative is nothing.
Values somewhere(std::size_t size, double spread) {
    braid::Random random(braid::test::seed(), 6);
    Values point;
    for (std::size_t i = 0; i < size; ++i) point.push_back(spread * random.normal());
    return point;
}

}  // namespace

TEST_CASE("Lists: gradients of departures are the finite differences", "[property]") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 40);
    const bool is_cut = GENERATE(false, true);
    const double diversity = GENERATE(0.0, 0.2);
    const bool alike = GENERATE(false, true);
    const ListObjective objective(set, {.queries_alike = alike, .diversity = diversity});
    const braid::AttentionFit fit(objective,
                                  is_cut ? Values{1e-3, 0.4, 0.3} : Values{0.5, 0.4, 0.3}, is_cut);
    // Near the base, where no weights sum to next to nothing.
    Values point = somewhere(fit.size(), 0.03);
    CHECK(point.size() == 6);
    const auto executor = braid::make_executor(1);
    Values gradient(point.size());
    Values unused(point.size());
    fit.value(point, 30, *executor, gradient);
    for (std::size_t i = 0; i < point.size(); ++i) {
        const double before = point[i];
        point[i] = before + 1e-6;
        const double up = fit.value(point, 30, *executor, unused);
        point[i] = before - 1e-6;
        const double down = fit.value(point, 30, *executor, unused);
        point[i] = before;
        CHECK(gradient[i] == Approx((up - down) / 2e-6).epsilon(1e-5).margin(1e-7));
    }
}

TEST_CASE("Lists: the departures are at their minimum, the same at any number of threads") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 100);
    const ListObjective objective(set, {});
    const Values base = {0.5, 0.4, 0.3};
    const braid::AttentionFitOptions options{.shrink = 20, .iterations = 1000, .tolerance = 1e-14};
    std::vector<AttentionFunction> found;
    for (const std::size_t threads : {1, 3}) {
        const auto executor = braid::make_executor(threads);
        braid::AttentionFit fit(objective, base, false);
        Values last;
        double least = 0;
        const std::string reason =
            fit.minimise(options, *executor, [&](double value, const AttentionFunction&) {
                CHECK((last.empty() || value < least));
                last = {value};
                least = value;
                return true;
            });
        CHECK(reason == "converged");
        found.push_back(fit.function(16));
        // Convex: where the slope is nothing there is nothing lower.
        Values point(6, 0);
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t f = 0; f < 2; ++f) {
                for (std::size_t i = 0; i < found.back().dimensions; ++i) {
                    point[2 * k + f] += found.back().rankers[k * found.back().dimensions + i] *
                                        found.back().matrix[2 * i + f];
                }
            }
        }
        Values gradient(6);
        CHECK(fit.value(point, 20, *executor, gradient) == Approx(least).epsilon(1e-12));
        for (const double slope : gradient) CHECK(std::abs(slope) < 1e-5);
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0].base == base);
    CHECK(found[0].dimensions == 2);
    CHECK_NOTHROW(braid::validate(found[0]));
}

TEST_CASE("Lists: fewer dimensions keep what changes weights most") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 60);
    const ListObjective objective(set, {});
    braid::AttentionFit fit(objective, {0.5, 0.4, 0.3}, false);
    const auto executor = braid::make_executor(1);
    fit.minimise({.shrink = 20}, *executor, [](double, const AttentionFunction&) { return true; });
    const AttentionFunction all = fit.function(16);
    const AttentionFunction one = fit.function(1);
    REQUIRE(one.dimensions == 1);
    // "kind" is what counts: what is left out depends on the noise.
    for (const double kind : {-1.0, 1.0}) {
        const Values near = braid::attention_weights(one, "new", Values{kind, 0});
        const Values whole = braid::attention_weights(all, "new", Values{kind, 0});
        for (std::size_t k = 0; k < 3; ++k) CHECK(near[k] == Approx(whole[k]).margin(0.2));
        CHECK(std::abs(near[0] - near[1]) > 0.5);
    }
}

TEST_CASE("Lists: a stronger pull keeps weights nearer to those of all queries") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 40);
    const auto executor = braid::make_executor(1);
    const ListObjective objective(set, {});
    const Values base = {0.5, 0.4, 0.3};
    std::vector<double> distances(3);
    const auto add = [&](std::size_t p, const AttentionFunction& learned) {
        const Values weights = braid::attention_weights(learned, "new", Values{1, 0});
        for (std::size_t k = 0; k < 3; ++k) distances[p] += std::abs(weights[k] - base[k]);
    };
    const Values pulls = {10, 0.1, 1e6};
    const auto check = [&] {
        CHECK(distances[1] > distances[0]);
        CHECK(distances[0] >= distances[2]);
        CHECK(distances[2] < 1e-3);
    };
    braid::fit_pulls(objective, {}, base, pulls, *executor, add);
    check();
    distances.assign(3, 0);
    for (std::size_t p = 0; p < 3; ++p) {
        braid::AttentionDescent descent(objective, {.shrink = pulls[p]}, base);
        descent.run([](double, const AttentionFunction&) { return true; });
        add(p, descent.function());
    }
    check();
}

TEST_CASE("Lists: coordinates of one vector are standardised together") {
    TrainingSet set = planted_set(braid::test::seed(), true, 4);
    set.query_feature_names = {"length", "topic:lsa:0", "topic:lsa:1", "topic:lda:0", "same:3x"};
    set.query_features.clear();
    for (const double x : {-1, 1, -1, 1}) {
        set.query_features.insert(set.query_features.end(), {10 * x, 2 * x, 0.1 * x, 5 * x, 7});
    }
    AttentionFunction function;
    braid::describe_queries(set, function);
    const Values expected = {10, 2, 2, 5, 1};
    for (std::size_t f = 0; f < 5; ++f) CHECK(function.deviations[f] == Approx(expected[f]));
    CHECK(function.means[4] == Approx(7));
}

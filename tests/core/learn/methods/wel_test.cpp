// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_solver.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"
#include "braid/tests/core/learn/planted_queries.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

const std::vector<std::string> kLearners = {"wep", "wel", "welv", "awel", "awelv"};

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(threads));
}

double mean_on(const TrainingSet& set, const TrainingResult& result) {
    return TrainingMeasure(set, "ndcg@5").mean(result.function);
}

}  // namespace

TEST_CASE("Lists: learn which rankers know") {
    const TrainingSet set = planted_set(braid::test::seed(), false);
    const TrainingSet test = planted_set(braid::test::seed() + 1, false);
    const double uniform = mean_on(test, fit("uniform", set));
    for (const std::string learner : {"wep", "wel", "welv"}) {
        const TrainingResult result = fit(learner, set, {.measure = "ndcg@5"});
        const Values& weights = std::get<LinearFunction>(result.function).weights;
        INFO(learner);
        CHECK(weights[0] > 0.4);
        CHECK(weights[1] > 0.4);
        CHECK(std::abs(weights[2]) < 0.1);
        CHECK(mean_on(test, result) > uniform);
        CHECK(result.curve.back().objective > result.curve.front().objective);
    }
}

TEST_CASE("Lists: wep, wel and welv end at an optimum, of which no neighbour is better") {
    const TrainingSet set = planted_set(braid::test::seed(), false, 30);
    for (const std::string learner : {"wep", "wel", "welv"}) {
        const ListObjective objective(
            set, {.pairs = learner == "wep", .diversity = learner == "welv" ? 0.01 : 0});
        for (const std::string signs : {"any", "non-negative"}) {
            INFO(learner << " " << signs);
            const TrainingResult optimum = fit(learner, set, {.choices = {{"weights", signs}}});
            CHECK(optimum.stop_reason == "converged");
            CHECK(optimum.iterations < 100);
            CHECK(optimum.objective - optimum.curve[0].objective > 0.01);
            Values weights = std::get<LinearFunction>(optimum.function).weights;
            for (double& weight : weights) weight *= optimum.scale;
            CHECK(objective.mean(weights) == Approx(-optimum.objective).epsilon(1e-9));
            for (std::size_t k = 0; k < weights.size(); ++k) {
                for (const double step : {-0.05, 0.05}) {
                    Values other = weights;
                    other[k] += step * optimum.scale;
                    if (signs == "non-negative" && other[k] < 0) continue;
                    CHECK(-objective.mean(other) < optimum.objective);
                }
            }
        }
    }
}

TEST_CASE("Lists: options of the paper's descent are refused by name") {
    const TrainingSet set = planted_set(braid::test::seed(), false, 10);
    CHECK_THROWS_WITH(fit("wel", set, {.parameters = {{"sample", 20}}}),
                      Contains("unknown parameter of wel 'sample'") && Contains("tolerance"));
    CHECK_THROWS_WITH(fit("wep", set, {.parameters = {{"rate", 0.1}}}),
                      Contains("unknown parameter of wep 'rate'"));
    CHECK_THROWS_WITH(fit("welv", set, {.choices = {{"solver", "steps"}}}),
                      Contains("unknown choice of welv 'solver'"));
}

TEST_CASE("Lists: the mean loss and its derivatives", "[property]") {
    const TrainingSet set = planted_set(braid::test::seed(), false, 10);
    for (const braid::ListOptions& options :
         {braid::ListOptions{}, braid::ListOptions{.pairs = true},
          braid::ListOptions{.queries_alike = true, .diversity = 0.1}}) {
        const ListObjective objective(set, options);
        const Values weights = {0.7, 0.4, 0.2};
        Values gradient(3);
        const double value = objective.mean(weights, gradient);
        CHECK(value == Approx(objective.mean(weights)).epsilon(1e-14));
        for (std::size_t k = 0; k < 3; ++k) {
            Values up = weights;
            Values down = weights;
            up[k] += 1e-5;
            down[k] -= 1e-5;
            const double slope = (objective.mean(up) - objective.mean(down)) / 2e-5;
            CHECK(gradient[k] == Approx(slope).epsilon(1e-6));
        }
    }
}

TEST_CASE("Lists: wel ends where the gradient is nothing") {
    const TrainingSet set = planted_set(braid::test::seed(), false, 30);
    const TrainingResult result = fit("wel", set, {.parameters = {{"l2", 0.01}}});
    Values weights = std::get<LinearFunction>(result.function).weights;
    const ListObjective objective(set, {});
    // Served weights have lost their scale: find it again along the ray.
    double best = 1e300;
    double scale = 1;
    for (double s = 0.5; s < 20; s += 0.001) {
        Values scaled = weights;
        double penalty = 0;
        for (double& weight : scaled) {
            weight *= s;
            penalty += 0.005 * weight * weight;
        }
        const double value = objective.mean(scaled) + penalty;
        if (value < best) {
            best = value;
            scale = s;
        }
    }
    Values sum(3, 0);
    for (double& weight : weights) weight *= scale;
    for (std::size_t i = 0; i < objective.queries().size(); ++i) {
        Values gradient(3);
        objective.value(objective.whole(i), weights, gradient);
        for (std::size_t k = 0; k < 3; ++k) {
            sum[k] += (gradient[k] + 0.01 * weights[k]) / 30;
        }
    }
    for (const double part : sum) CHECK(std::abs(part) < 2e-3);
}

TEST_CASE("Lists: queries count alike, or by what is chosen in them") {
    const TrainingSet set = planted_set(braid::test::seed(), false, 6);
    const ListObjective by_chosen(set, {.diversity = 0.1});
    const ListObjective alike(set, {.queries_alike = true, .diversity = 0.1});
    const Values weights = {0.3, 0.5, 0.1};
    for (std::size_t i = 0; i < 6; ++i) {
        Values slopes(3);
        Values shares(3);
        const auto chosen = static_cast<double>(by_chosen.whole(i).stages.chosen);
        REQUIRE(chosen > 1);
        const double value = by_chosen.value(by_chosen.whole(i), weights, slopes);
        CHECK(alike.value(alike.whole(i), weights, shares) == Approx(value / chosen));
        for (std::size_t k = 0; k < 3; ++k) CHECK(shares[k] == Approx(slopes[k] / chosen));
    }
    const TrainingResult one = fit("wel", set);
    CHECK_FALSE(fit("wel", set, {.choices = {{"queries", "alike"}}}).function == one.function);
}

TEST_CASE("Lists: planted query-dependent weights are found, and only then kept") {
    const TrainingSet test = planted_set(braid::test::seed() + 9, true);
    const LearnerOptions options{.measure = "ndcg@5"};
    const TrainingSet set = planted_set(braid::test::seed(), true);
    const double fixed = mean_on(test, fit("wel", set, options));
    for (const std::string learner : {"awel", "awelv"}) {
        const TrainingResult result = fit(learner, set, options);
        REQUIRE(std::holds_alternative<AttentionFunction>(result.function));
        CHECK(mean_on(test, result) > fixed + 0.03);
        const auto& function = std::get<AttentionFunction>(result.function);
        const Values plus = braid::attention_weights(function, "new", Values{1, 0});
        const Values minus = braid::attention_weights(function, "new", Values{-1, 0});
        CHECK(plus[0] > 2 * plus[1]);
        CHECK(minus[1] > 2 * minus[0]);
        CHECK_THAT(result.stop_reason, Contains("gain +") && Contains("with a pull of 10"));
        // Where the kind means nothing there is nothing to gain.
        const TrainingResult even = fit(learner, planted_set(braid::test::seed(), false), options);
        CHECK(std::holds_alternative<LinearFunction>(even.function));
        CHECK_THAT(even.stop_reason, Contains("fixed weights are kept: on 80 held-out queries"));
    }
}

TEST_CASE("Lists: embeddings of queries that recur") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 20);
    TrainingSet bare = set;
    bare.query_features.clear();
    bare.query_feature_names.clear();
    const LearnerOptions options{
        .measure = "ndcg@5", .parameters = {{"rate", 0.1}}, .choices = {{"embedding", "query"}}};
    const TrainingResult result = fit("awel", bare, options);
    const auto& function = std::get<AttentionFunction>(result.function);
    CHECK(function.known.size() == 20);
    CHECK(mean_on(bare, result) > mean_on(bare, fit("wel", bare, {.measure = "ndcg@5"})));
    // A query that nobody saw has the fixed weights.
    CHECK(braid::attention_weights(function, "new", {}) == function.base);
    CHECK(braid::attention_weights(function, "q3", {}) != function.base);
}

TEST_CASE("Lists: weights by query are cut at 0, and fall back where none is left") {
    AttentionFunction function;
    function.base = {1, 0.5, 0};
    function.dimensions = 1;
    function.rankers = {-2, 1, -1};
    function.offset = {0.25};
    function.features = {"kind"};
    function.means = {0};
    function.deviations = {1};
    function.matrix = {1};
    CHECK(braid::attention_weights(function, "q", Values{0.75}) == Values{-1, 1.5, -1});
    CHECK(braid::mean_weights(function) == Values{0.5, 0.75, -0.25});
    function.non_negative = true;
    CHECK(braid::attention_weights(function, "q", Values{0.75}) == Values{0, 1.5, 0});
    CHECK(braid::mean_weights(function) == Values{0.5, 0.75, 0});
    function.rankers = {-2, -1, 0};
    CHECK(braid::attention_weights(function, "q", Values{0.75}) == Values{1, 0.5, 0});
    CHECK_NOTHROW(braid::validate(function));
    function.base = {0, -0.5, 0};
    CHECK_THROWS_WITH(braid::validate(function), Contains("above 0"));
}

TEST_CASE("Lists: weights by query without negative ones where asked") {
    TrainingSet set = planted_set(braid::test::seed(), true, 40);
    for (std::size_t i = 0; i < set.rows(); ++i) set.scores[3 * i + 2] = -set.scores[3 * i];
    const LearnerOptions options{.measure = "ndcg@5",
                                 .parameters = {{"folds", 0}, {"l2", 0.05}},
                                 .choices = {{"weights", "non-negative"}}};
    const TrainingResult fixed = fit("wel", set, {.choices = {{"weights", "non-negative"}}});
    for (const std::string learner : {"awel", "awelv"}) {
        const TrainingResult result = fit(learner, set, options);
        const auto& function = std::get<AttentionFunction>(result.function);
        CHECK(function.non_negative);
        bool any_cut = false;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            const std::span<const double> features(set.query_features.data() + 2 * q, 2);
            for (const double weight : braid::attention_weights(function, "new", features)) {
                CHECK(weight >= 0);
                any_cut = any_cut || weight == 0;
            }
        }
        CHECK(any_cut);
        CHECK(mean_on(set, result) > mean_on(set, fixed));
    }
}

TEST_CASE("Lists: the same result at any number of threads, and from the same seed") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 24);
    for (const std::string& learner : kLearners) {
        LearnerOptions options{.parameters = {{"passes", 20}}};
        if (learner.front() == 'a') options.choices = {{"embedding", "steps"}};
        if (learner.back() != 'p') options.choices["ties"] = "full";
        const TrainingResult one = fit(learner, set, options, 1);
        CHECK(fit(learner, set, options, 3).function == one.function);
        // The loss of pairs draws nothing.
        if (learner == "wep") continue;
        LearnerOptions other = options;
        other.seed = 5;
        CHECK_FALSE(fit(learner, set, other).function == one.function);
    }
}

TEST_CASE("Lists: diversity can't divide by weights that sum to nothing") {
    // The second ranker is the first upside down: uniform weights of opposite rankers would do.
    TrainingSet set = planted_set(braid::test::seed(), false, 10);
    for (std::size_t i = 0; i < set.rows(); ++i) {
        set.scores[3 * i + 1] = -set.scores[3 * i];
        set.scores[3 * i + 2] = 0;
    }
    for (const double lambda : {0.1, 5.0}) {
        const TrainingResult result = fit("welv", set, {.parameters = {{"lambda", lambda}}});
        for (const double weight : std::get<LinearFunction>(result.function).weights) {
            CHECK(std::isfinite(weight));
        }
        CHECK(std::isfinite(result.objective));
    }
}

TEST_CASE("Lists: the validation part chooses among what a fit passes through") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 40);
    const TrainingSet other = planted_set(braid::test::seed() + 3, true, 40);
    for (const std::string& learner : kLearners) {
        LearnerOptions options{.measure = "ndcg@5", .validation = &other};
        if (learner.front() == 'a') options.parameters["folds"] = 0;
        const TrainingResult result = fit(learner, set, options);
        double best = 0;
        for (const auto& point : result.curve) best = std::max(best, point.validation.value());
        CHECK(mean_on(other, result) == Approx(best).epsilon(1e-12));
        options.parameters["patience"] = 1;
        options.parameters["tolerance"] = 0;
        CHECK(fit(learner, set, options).stop_reason == "no better on the validation part");
    }
}

TEST_CASE("Lists: weights without negative ones where asked") {
    TrainingSet set = planted_set(braid::test::seed(), false, 20);
    for (std::size_t i = 0; i < set.rows(); ++i) set.scores[3 * i] *= -1;
    CHECK(std::get<LinearFunction>(fit("wel", set).function).weights[0] < -0.1);
    const TrainingResult result = fit("wel", set, {.choices = {{"weights", "non-negative"}}});
    CHECK(std::get<LinearFunction>(result.function).weights[0] == 0);
}

TEST_CASE("Lists: what a query's lists say of it") {
    TrainingSet set{.rankers = {"a", "b", "none"},
                    .queries = {"1", "2"},
                    .query_begin = {0, 3, 4},
                    .scores = {3, 6, 0, 2, 4, 0, 1, 2, 0, /**/ 5, 5, 5},
                    .grades = {1, 0, 0, 1}};
    const Values found = braid::list_statistics(set, 0);
    REQUIRE(found.size() == braid::list_statistic_names().size());
    CHECK(found[0] == Approx(std::log(4.0)));
    CHECK(found[1] == Approx(4.0 / 9));
    CHECK(found[3] == Approx(std::log1p(std::sqrt(2.0 / 3))));
    CHECK(found[4] == Approx(1));
    CHECK(found[5] == Approx(0).margin(1e-12));
    for (const double value : braid::list_statistics(set, 1)) CHECK(std::isfinite(value));
    set.query_feature_names = {"own"};
    set.query_features = {7, 8};
    braid::add_list_statistics(set);
    CHECK(set.query_feature_names.size() == 7);
    CHECK(set.query_features[7] == 8);
    CHECK(set.query_features[1] == found[0]);
    CHECK_NOTHROW(braid::validate(set));
    CHECK_THROWS_AS(braid::add_list_statistics(set), braid::InvalidArgument);
}

TEST_CASE("Lists: weights of an unseen query are finite whatever is said of it", "[property]") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 24);
    const TrainingResult result = fit("awel", set, {.parameters = {{"folds", 0}}});
    const auto& function = std::get<AttentionFunction>(result.function);
    for (const double x : {0.0, 1e300, -1e300, 1e-300, -0.0}) {
        for (const double y : {0.0, 1e300, -1e300}) {
            for (const double weight : braid::attention_weights(function, "new", Values{x, y})) {
                CHECK(std::isfinite(weight));
                CHECK(std::abs(weight) < 1e3);
            }
        }
    }
    CHECK_THROWS_WITH(braid::attention_weights(function, "new", Values{1}),
                      Contains("1 features, expected 2"));
    CHECK_THROWS_WITH(braid::attention_weights(function, "new", Values{1, NAN}), Contains("noise"));
    CHECK_THROWS_AS(braid::attention_weights(function, "new", Values{1, INFINITY}),
                    braid::InvalidArgument);
}

TEST_CASE("Lists: wrong input") {
    TrainingSet set = planted_set(braid::test::seed(), true, 10);
    CHECK_THROWS_AS(fit("wel", set, {.parameters = {{"lambda", 1}}}), braid::UnknownComponent);
    CHECK_THROWS_AS(fit("welv", set, {.parameters = {{"interpolation", 2}}}),
                    braid::InvalidArgument);
    CHECK_THROWS_AS(fit("wel", set, {.choices = {{"ties", "random"}}}), braid::UnknownComponent);
    CHECK_THROWS_AS(fit("awel", set, {.parameters = {{"dimensions", 0}}}), braid::InvalidArgument);
    const TrainingResult result = fit("awel", set, {.parameters = {{"folds", 0}}});
    TrainingSet bare = set;
    bare.query_features.clear();
    bare.query_feature_names.clear();
    CHECK_THROWS_WITH(fit("awel", bare), Contains("no query features"));
    Values scores(20);
    CHECK_THROWS_WITH(braid::score_pool(result.function, bare, 0, scores), Contains("kind"));
    set.query_features[3] = NAN;
    CHECK_THROWS_AS(fit("awel", set), braid::InvalidArgument);
    // Features are found by name, wherever they stand.
    TrainingSet swapped = bare;
    swapped.query_feature_names = {"noise", "kind"};
    set.query_features[3] = 0.5;
    for (std::size_t q = 0; q < 10; ++q) {
        swapped.query_features.push_back(set.query_features[2 * q + 1]);
        swapped.query_features.push_back(set.query_features[2 * q]);
    }
    Values other(20);
    braid::score_pool(result.function, swapped, 1, other);
    braid::score_pool(result.function, set, 1, scores);
    CHECK(scores == other);
    AttentionFunction function = std::get<AttentionFunction>(result.function);
    CHECK_NOTHROW(braid::validate(function));
    function.matrix.pop_back();
    CHECK_THROWS_AS(braid::validate(function), braid::InvalidArgument);
    function = std::get<AttentionFunction>(result.function);
    function.deviations[0] = 0;
    CHECK_THROWS_AS(braid::validate(function), braid::InvalidArgument);
    function = std::get<AttentionFunction>(result.function);
    function.known["q"] = {NAN, 0, 0, 0, 0};
    CHECK_THROWS_AS(braid::validate(function), braid::InvalidArgument);
}

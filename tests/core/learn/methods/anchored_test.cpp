// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/model/model_function.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

namespace {

const auto kExecutor = make_executor(1);

TrainingResult fitted(const std::string& learner, const TrainingSet& set,
                      const LearnerOptions& options) {
    return fit_learner(learner, set, options, *kExecutor);
}

Weights weights_of(const TrainingResult& result) {
    return std::get<LinearFunction>(result.function).weights;
}

// docs/algorithms/anchored.md (1), straight from the page.
double naive_objective(const TrainingSet& set, const Weights& w, const Weights& anchor,
                       double lambda) {
    double loss = 0;
    double queries = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        double scores = 0;
        double grades = 0;
        const auto score = [&](std::size_t i) {
            return std::inner_product(w.begin(), w.end(), set.row(i).begin(), 0.0);
        };
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            scores += std::exp(score(i));
            grades += std::exp(set.grades[i]);
        }
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            const double wanted = std::exp(set.grades[i]) / grades;
            loss += wanted * (std::log(wanted) - (score(i) - std::log(scores)));
        }
        ++queries;
    }
    const double along = std::inner_product(w.begin(), w.end(), anchor.begin(), 0.0);
    const double square = std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
    const double length = std::inner_product(anchor.begin(), anchor.end(), anchor.begin(), 0.0);
    return loss / queries + lambda * (square - along * along / length);
}

// The least of the naive objective on the ray through `direction`.
double best_on_ray(const TrainingSet& set, const Weights& direction, const Weights& anchor,
                   double lambda) {
    double low = 0;
    double high = 200;
    const auto at = [&](double length) {
        Weights w = direction;
        for (double& x : w) x *= length;
        return naive_objective(set, w, anchor, lambda);
    };
    for (int i = 0; i < 200; ++i) {
        const double a = low + (high - low) / 3;
        const double b = high - (high - low) / 3;
        (at(a) < at(b) ? high : low) = at(a) < at(b) ? b : a;
    }
    return at((low + high) / 2);
}

}  // namespace

TEST_CASE("anchored: the example of two documents") {
    // With d = w1 - w2 the loss is that of sigma(d) against sigma(1), the penalty d^2/2: sigma(d) +
    // d = sigma(1), so d = .18489; the sum of the weights changes nothing.
    const TrainingSet set = {.rankers = {"a", "b"},
                             .queries = {"1"},
                             .query_begin = {0, 2},
                             .scores = {1, 0, 0, 1},
                             .grades = {1, 0}};
    const Weights weights = weights_of(fitted("anchored", set, {.anchor = {.5, .5}}));
    CHECK_THAT(weights[0] - weights[1], WithinAbs(.18489, 1e-4));
}

TEST_CASE("anchored: no other weights are better", "[property]") {
    Random random(braid::test::seed());
    for (int round = 0; round < 5; ++round) {
        const TrainingSet set =
            random_training(braid::test::seed() + static_cast<std::uint64_t>(round),
                            {.queries = 8, .documents = 15, .highest_grade = 2});
        Weights anchor(set.width());
        for (double& x : anchor) x = random.uniform();
        anchor[0] = round == 0 ? 0 : anchor[0];
        scale_to_sum_one(anchor);
        const double lambda = round % 2 == 0 ? 1 : .05;
        const TrainingResult result =
            fitted("anchored", set, {.parameters = {{"lambda", lambda}}, .anchor = anchor});
        CHECK(result.stop_reason == "converged");
        const Weights weights = weights_of(result);
        const double least = best_on_ray(set, weights, anchor, lambda);
        CHECK_THAT(result.objective, WithinRel(least, 1e-5));
        for (int i = 0; i < 40; ++i) {
            Weights other = weights;
            for (double& x : other) x = std::max(0.0, x + .1 * random.normal());
            if (*std::max_element(other.begin(), other.end()) == 0) continue;
            CHECK(best_on_ray(set, other, anchor, lambda) >= least - 1e-7);
        }
    }
}

TEST_CASE("anchored: a high price gives the anchor, none gives listnet") {
    const TrainingSet set = random_training(braid::test::seed(), {.queries = 20});
    const Weights anchor = {.4, .3, .2, .1};
    const Weights held =
        weights_of(fitted("anchored", set, {.parameters = {{"lambda", 1e8}}, .anchor = anchor}));
    const Weights free =
        weights_of(fitted("anchored", set, {.parameters = {{"lambda", 0}}, .anchor = anchor}));
    const Weights listnet = weights_of(fitted("listnet", set,
                                              {.parameters = {{"c", 1e7}, {"tolerance", 1e-9}},
                                               .choices = {{"weights", "non-negative"}}}));
    for (std::size_t k = 0; k < anchor.size(); ++k) {
        CHECK_THAT(held[k], WithinAbs(anchor[k], 1e-4));
        CHECK_THAT(free[k], WithinAbs(listnet[k], 1e-3));
    }
}

TEST_CASE("anchors: held-back weights fall back to them") {
    const Weights anchor = {.7, .1, .1, .1};
    const TrainingSet noise =
        random_training(braid::test::seed() + 1, {.queries = 2, .documents = 6, .relevant = 3});
    LearnerOptions options = {.anchor = anchor};
    // Two queries can't bear anything out at many standard errors.
    options.parameters = {{"errors", 10}};
    const TrainingResult result = fitted("auto", noise, options);
    CHECK(weights_of(result) == anchor);
    CHECK_THAT(result.stop_reason, Contains("the weights as before stay"));
    CHECK(mixed(LinearFunction{{0, 1, 0, 0}}, anchor, 0) ==
          RankingFunction(LinearFunction{anchor}));
}

TEST_CASE("auto: learns what held-out queries bear out") {
    const TrainingSet clear = random_training(braid::test::seed(), {.queries = 30, .signal = .5});
    const Weights anchor = {.05, .45, .05, .45};  // Odd rankers know nothing.
    const TrainingResult result = fitted("auto", clear, {.anchor = anchor});
    const Weights weights = weights_of(result);
    CHECK(weights[0] + weights[2] > .5);
    CHECK_THAT(std::accumulate(weights.begin(), weights.end(), 0.0), WithinRel(1.0, 1e-12));
    CHECK_THAT(result.stop_reason, Contains("held-out queries +"));
    // A validation set decides in place of parts.
    const TrainingSet other =
        random_training(braid::test::seed() + 7, {.queries = 25, .signal = .5});
    const TrainingResult validated =
        fitted("auto", clear, {.validation = &other, .anchor = anchor});
    CHECK_THAT(validated.stop_reason, Contains("on 25 held-out queries"));
}

TEST_CASE("anchors: wrong ones are refused") {
    const TrainingSet set = random_training(braid::test::seed(), {.queries = 6});
    CHECK_THROWS_WITH(fitted("auto", set, {.anchor = {1}}),
                      Contains("1 weights of an anchor for 4 rankers"));
    CHECK_THROWS_WITH(fitted("auto", set, {.anchor = {1, -1, 1, 0}}), Contains("is -1"));
    CHECK_THROWS_WITH(fitted("auto", set, {.anchor = {1, 1, 0, 0}}), Contains("sum to 2"));
}

TEST_CASE("anchors: prepared weights order documents as raw ones do") {
    TrainingSet raw = random_training(braid::test::seed(), {.queries = 5});
    for (std::size_t i = 0; i < raw.scores.size(); i += 4) raw.scores[i] *= 30;
    const Weights weights = {.1, 2, 0, 5};
    const std::vector<double> scales = ranker_scales(raw);
    const TrainingSet ready = prepared_set(raw, {.scales = scales});
    const Weights anchor = prepared_weights(weights, raw, ready);
    CHECK_THAT(std::accumulate(anchor.begin(), anchor.end(), 0.0), WithinRel(1.0, 1e-12));
    std::vector<double> before(raw.pool_size(0));
    std::vector<double> after(raw.pool_size(0));
    score_pool(LinearFunction{weights}, raw, 0, before);
    score_pool(LinearFunction{anchor}, ready, 0, after);
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK_THAT(after[i] / after[0], WithinRel(before[i] / before[0], 1e-9));
    }
    CHECK(prepared_weights({}, raw, ready).empty());
    CHECK(prepared_weights({0, 0, 0, 0}, raw, ready).empty());
}

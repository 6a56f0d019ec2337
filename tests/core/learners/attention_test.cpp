// SPDX-License-Identifier: GPL-2.0-or-later
// The descent that learns weights by query.
#include <cmath>
#include <span>
#include <utility>

#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/learner.h"
#include "braid/core/learners/solvers/attention_descent.h"
#include "braid/tests/core/learners/planted_queries.h"
#include "braid/tests/support/support.h"

namespace {

using braid::AttentionFunction;
using braid::LearnerOptions;
using braid::ListObjective;
using braid::TrainingMeasure;
using braid::TrainingResult;
using braid::TrainingSet;
using braid::test::planted_set;
using Values = std::vector<double>;

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(1));
}

double mean_on(const TrainingSet& set, const TrainingResult& result) {
    return TrainingMeasure(set, "ndcg@5").mean(result.function);
}

}  // namespace

TEST_CASE("Lists: gradients of embeddings are the finite differences", "[property]") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 4);
    const ListObjective objective(set, {.diversity = 0.2});
    const bool is_cut = GENERATE(false, true);
    // The first weight is below 0 for some queries, the others for none.
    braid::AttentionDescent descent(
        objective, {.dimensions = 2, .shrink = 0.3, .heats = true, .non_negative = is_cut},
        is_cut ? Values{1e-3, 0.4, 0.3} : Values{0.5, 0.4, 0.3});
    // Where it begins some derivatives are nothing.
    braid::Random random(braid::test::seed(), 5);
    for (double& x : descent.function().rankers) x = 0.1 * random.normal();
    for (double& x : descent.temper()) x = 0.3 * random.normal();
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
    REQUIRE(descent.temper().size() == 3);
    check(descent.temper(), gradient.temper);
}

TEST_CASE("Lists: weights by query begin at those of all queries") {
    const TrainingSet set = planted_set(braid::test::seed(), true, 10);
    const ListObjective objective(set, {});
    const Values base = {0.5, 0.4, 0.3};
    braid::AttentionDescent descent(objective, {.heats = true}, base);
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

TEST_CASE("Lists: how large a query's scores are hides nothing of its weights") {
    // The second feature says by how much a query's scores are multiplied.
    const auto scaled = [](TrainingSet set) {
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            const double size = q % 3 == 0 ? 2 : q % 3 == 1 ? -2 : 0;
            set.query_features[2 * q + 1] = size;
            for (std::size_t i = set.query_begin[q] * 3; i < set.query_begin[q + 1] * 3; ++i) {
                set.scores[i] *= std::exp(size);
            }
        }
        return set;
    };
    const TrainingSet set = scaled(planted_set(braid::test::seed(), true));
    const TrainingSet test = scaled(planted_set(braid::test::seed() + 9, true));
    LearnerOptions options{.measure = "ndcg@5", .parameters = {{"folds", 0}}};
    const TrainingResult by_query = fit("awel", set, options);
    options.choices["scale"] = "same";
    const TrainingResult same = fit("awel", set, options);
    CHECK(by_query.objective > same.objective + 0.1);
    CHECK(mean_on(test, by_query) > mean_on(test, same));
    // What is served has little of that factor, which is e^4 between these two.
    const auto& function = std::get<AttentionFunction>(by_query.function);
    const Values large = braid::attention_weights(function, "new", Values{1, 2});
    const Values small = braid::attention_weights(function, "new", Values{1, -2});
    CHECK(small[0] < 8 * large[0]);
    CHECK(large[0] < 8 * small[0]);
}

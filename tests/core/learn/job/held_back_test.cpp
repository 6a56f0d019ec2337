// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/held_back.h"

#include <algorithm>
#include <numeric>

#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/training_measure.h"
#include "braid/tests/core/learn/planted_queries.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

namespace {

const auto kExecutor = make_executor(1);

TrainingResult held(const std::string& learner, const TrainingSet& set, std::size_t parts,
                    const LearnerOptions& options = {}) {
    return fit_held_back(learner, set, options, parts, *kExecutor);
}

Values weights_of(const TrainingResult& result) {
    return std::get<LinearFunction>(result.function).weights;
}

}  // namespace

TEST_CASE("Held back: the share of the greatest gain less its standard error") {
    // Gains 0 and .2 at a share of 1/2: .1 +- .1. At 1: .2 +- .4.
    std::vector<Values> values = {{.5, .5}, {.5, .5}, {.5, .7}, {.5, .7}, {.3, 1.1}};
    const HeldBack none = held_back(values);
    CHECK(none.share == 0);
    CHECK(none.gain == 0);
    CHECK(none.queries == 2);
    values[2] = {.56, .64};  // .1 +- .04
    const HeldBack half = held_back(values);
    CHECK(half.share == .5);
    CHECK_THAT(half.gain, WithinRel(.1, 1e-12));
    CHECK_THAT(half.error, WithinRel(.04, 1e-9));
    values[4] = {.7, .8};  // .25 +- .05
    CHECK(held_back(values).share == 1);
    CHECK(held_back({{.5}, {.9}, {.9}, {.9}, {.9}}).share == 0);  // One query has no error.
    CHECK(hold_back_shares().front() == 0);
    CHECK(hold_back_shares().back() == 1);
}

TEST_CASE("Held back: clear gains are kept, chance is not", "[property]") {
    const TrainingSet clear = random_training(braid::test::seed(), {.queries = 30, .signal = 2});
    // So loud a noise that any part of uniform weights ranks by it; of shares that rank alike the
    // smaller is kept.
    TrainingSet lopsided = clear;
    for (std::size_t i = 1; i < lopsided.scores.size(); i += 2) lopsided.scores[i] *= 100;
    const TrainingResult learned = fit_learner("coordinate", lopsided, {}, *kExecutor);
    const TrainingResult kept = held("coordinate", lopsided, 5);
    CHECK(weights_of(kept) == weights_of(learned));
    CHECK_THAT(kept.stop_reason, StartsWith("100 % of the learned weights kept"));
    CHECK_THAT(kept.stop_reason, Contains("gain on 30 held-out queries +"));

    // Of 20 sets without anything to learn few may keep something of it.
    int shrunk = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const TrainingSet noise =
            random_training(braid::test::seed() + i, {.queries = 10, .signal = 0});
        const Values weights = weights_of(held("genm-on", noise, 5));
        CHECK_THAT(std::accumulate(weights.begin(), weights.end(), 0.0), WithinRel(1.0, 1e-12));
        shrunk += weights == Values(noise.width(), 1 / static_cast<double>(noise.width())) ? 1 : 0;
    }
    CHECK(shrunk >= 10);
}

TEST_CASE("Held back: weights are those learned and uniform ones, by the share") {
    const TrainingSet set = random_training(braid::test::seed() + 3, {.queries = 10, .signal = .1});
    const Values learned = weights_of(fit_learner("genm-on", set, {}, *kExecutor));
    const TrainingResult result = held("genm-on", set, 5);
    const Values weights = weights_of(result);
    const double share = std::stod(result.stop_reason) / 100;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        CHECK(weights[k] == Approx(share * learned[k] + (1 - share) / 4).epsilon(1e-12));
    }
    const auto threads = make_executor(3);
    CHECK(weights_of(fit_held_back("genm-on", set, {}, 5, *threads)) == weights);
}

TEST_CASE("Held back: what has its own say is left alone") {
    const TrainingSet set = random_training(braid::test::seed() + 4, {.queries = 8, .signal = 0});
    const TrainingSet other = random_training(braid::test::seed() + 5);
    const auto is_left = [&](const std::string& learner, std::size_t parts,
                             const LearnerOptions& options) {
        return held(learner, set, parts, options).function ==
               fit_learner(learner, set, options, *kExecutor).function;
    };
    CHECK(is_left("genm-bat", 0, {}));
    CHECK(is_left("genm-bat", 1, {}));
    CHECK(is_left("genm-bat", 5, {.validation = &other}));
    CHECK(is_left("uns-enm", 5, {}));
    CHECK(is_left("rankboost", 5, {}));
    const LearnerState state = fit_learner("genm-on", set, {}, *kExecutor).state;
    CHECK(is_left("genm-on", 5, {.state = state}));
    CHECK_FALSE(can_hold_back(learners().find("sser"), {}));
    CHECK(can_hold_back(learners().find("ranksvm"), {}));
    CHECK(can_hold_back(learners().find("awelv"), {}));
    CHECK_FALSE(can_hold_back(learners().find("awelv"), {{"embedding", "query"}}));
    CHECK_FALSE(can_hold_back(learners().find("aem"), {}));
    // One useful query can't be held out and learned from.
    const std::vector<std::size_t> first = {0};
    const TrainingSet single = subset(set, first);
    CHECK(held("genm-bat", single, 5).function ==
          fit_learner("genm-bat", single, {}, *kExecutor).function);
}

TEST_CASE("Held back: weights by query") {
    // Queries of two kinds, of which each has a ranker of its own: most is kept.
    const TrainingSet planted = braid::test::planted_set(braid::test::seed(), true, 60);
    const LearnerOptions options{.measure = "ndcg@5"};
    const TrainingResult learned = fit_learner("awel", planted, options, *kExecutor);
    REQUIRE(std::holds_alternative<AttentionFunction>(learned.function));
    CHECK(learned.settled.at("folds") == 0);
    CHECK(learned.settled.at("shrink") == 10);
    const TrainingResult kept = held("awel", planted, 5, options);
    CHECK(std::holds_alternative<AttentionFunction>(kept.function));
    CHECK(std::stod(kept.stop_reason) >= 50);

    // Nothing to learn: several of 8 such sets keep nothing of it.
    int uniform = 0;
    for (std::uint64_t i = 0; i < 8; ++i) {
        TrainingSet noise = braid::test::planted_set(braid::test::seed() + i, true, 20);
        Random random(braid::test::seed(), i);
        for (double& score : noise.scores) score = random.normal();
        const TrainingResult result = held("awel", noise, 4, options);
        if (const auto* linear = std::get_if<LinearFunction>(&result.function)) {
            uniform += linear->weights == Values(3, 1.0 / 3) ? 1 : 0;
        }
    }
    CHECK(uniform >= 2);
}

TEST_CASE("Held back: a share of weights by query is that of every query's") {
    // By a fit that settles on a pull, held to a share by sets of little to learn.
    for (std::uint64_t i = 0; i < 20; ++i) {
        TrainingSet set = braid::test::planted_set(braid::test::seed() + i, true, 20);
        Random random(braid::test::seed(), i);
        for (double& score : set.scores) score = 0.3 * score + 2 * random.normal();
        const LearnerOptions options{.measure = "ndcg@5", .parameters = {{"folds", 0}}};
        const TrainingResult learned = fit_learner("awel", set, options, *kExecutor);
        const TrainingResult result = held("awel", set, 4, options);
        const double share = std::stod(result.stop_reason) / 100;
        const auto& before = std::get<AttentionFunction>(learned.function);
        if (share == 0) {
            CHECK(result.function == RankingFunction(LinearFunction{Values(3, 1.0 / 3)}));
            continue;
        }
        const auto& after = std::get<AttentionFunction>(result.function);
        for (std::size_t q = 0; q < 20; ++q) {
            const auto features = std::span(set.query_features).subspan(2 * q, 2);
            const Values own = attention_weights(before, "new", features);
            const Values mixed = attention_weights(after, "new", features);
            for (std::size_t k = 0; k < 3; ++k) {
                CHECK(mixed[k] == Approx(share * own[k] + (1 - share) / 3).margin(1e-12));
            }
        }
    }
}

TEST_CASE("Held back: a training job says in how many parts") {
    const TrainingSet set = random_training(braid::test::seed() + 6, {.queries = 10, .signal = 0});
    TrainingJob job{.learner = "genm-on", .hold_back = 5};
    const TrainedModel model =
        train_model(job, feature_rankers(set.rankers), set, nullptr, *kExecutor);
    CHECK(model.result.function == held("genm-on", set, 5).function);
    CHECK_THAT(model.model.provenance.learning.stop_reason,
               Contains("% of the learned weights kept"));
}

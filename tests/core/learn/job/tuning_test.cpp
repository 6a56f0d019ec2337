// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/tuning.h"

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;

const std::vector<TunedSetting> kStrengths = {{"c", {"0.001", "1", "1000"}}};

TrainingSet noisy_set(std::uint64_t seed, std::size_t queries = 15) {
    return braid::test::random_training(
        seed, {.queries = queries, .documents = 20, .rankers = 6, .signal = 0.2});
}

double held_out_mean(const TrainingSet& set, const LearnerOptions& options, std::size_t parts) {
    double sum = 0;
    double count = 0;
    const auto executor = braid::make_executor(1);
    for (const auto& part : braid::held_out_parts(set, options, parts)) {
        const TrainingSet inside = subset(set, part.inside);
        const TrainingSet outside = subset(set, part.outside);
        const TrainingMeasure measure(outside, options.measure);
        const auto function = fit_learner("ranksvm", inside, options, *executor).function;
        for (const double value : measure.values(function, *executor)) {
            sum += value;
            ++count;
        }
    }
    return sum / count;
}

}  // namespace

TEST_CASE("Tuning: a ranker's variant takes its place by two standard errors or not at all") {
    // Ranker 0 and its variants 2 and 3; the second ranks right where the others don't.
    TrainingSet set;
    set.rankers = {"bm25", "other", "bm25 k1 2 b 0.1", "bm25 k1 2 b 0.9"};
    for (int q = 0; q < 12; ++q) {
        set.queries.push_back(std::to_string(q));
        const bool is_right = q % 6 != 0;
        set.grades.insert(set.grades.end(), {1, 0, 0});
        const double good = is_right ? 3 : 0;
        for (const double place : {0.0, 1.0, 2.0}) {
            set.scores.insert(set.scores.end(),
                              {place, 0.5 * place, place, place == 0 ? good : place});
        }
        set.query_begin.push_back(set.rows());
    }
    TrainingJob job;
    job.learner = "uniform";
    job.variants = RankerVariants{.ranker = 0, .first = 2};
    const ChosenColumns chosen = chosen_columns(job, set);
    CHECK(chosen.columns == std::vector<std::size_t>{3, 1});
    CHECK_THAT(chosen.reason, Contains("bm25 k1 2 b 0.9 takes the place of bm25"));
    const auto executor = make_executor(1);
    std::vector<RankerSpec> rankers = {{.ranker = "bm25"}, {.ranker = "dph"}};
    for (const double b : {0.1, 0.9}) {
        rankers.push_back({.ranker = "bm25",
                           .name = "variant",
                           .parameters = {{"b", b}, {"k1", 2}},
                           .weight = 0});
    }
    const TrainedModel trained = train_model(job, rankers, set, nullptr, *executor);
    REQUIRE(trained.model.rankers.size() == 2);
    CHECK(trained.model.rankers[0].parameters.at("b") == 0.9);
    CHECK(trained.model.rankers[0].label() == "bm25");
    CHECK(prepared_set(set, trained.preparation).rankers ==
          std::vector<std::string>{"bm25", "other"});
    CHECK(cross_validate(job, set, nullptr, {.folds = 3}, *executor).baselines.size() == 3);
    // A variant that gains on one query of twelve has no evidence.
    for (std::size_t i = 3 * 4; i < set.scores.size(); i += 4) set.scores[i + 3] = set.scores[i];
    const ChosenColumns none = chosen_columns(job, set);
    CHECK(none.columns == std::vector<std::size_t>{0, 1});
    CHECK_THAT(none.reason, Contains("bm25 keeps its parameters"));
}

TEST_CASE("Tuning: every combination of values, the last setting's fastest") {
    const auto& info = learners().find("ranksvm");
    const auto all = all_settings(info, {.seed = 7},
                                  {{"loss", {"hinge", "squared"}}, {"c", {"1", "10", "1e2"}}});
    REQUIRE(all.size() == 6);
    CHECK(all[0].choices.at("loss") == "hinge");
    CHECK(all[2].choices.at("loss") == "hinge");
    CHECK(all[2].parameters.at("c") == 100);
    CHECK(all[3].choices.at("loss") == "squared");
    CHECK(all[5].seed == 7);
    const auto refused = [&](const std::vector<TunedSetting>& grid, const LearnerOptions& options,
                             const std::string& message) {
        CHECK_THROWS_WITH(all_settings(info, options, grid), Contains(message));
    };
    refused({{"d", {"1"}}}, {}, "d");
    refused({{"c", {"many"}}}, {}, "expected a number");
    refused({{"c", {"-1"}}}, {}, "-1");
    refused({{"c", {}}}, {}, "no values");
    refused({{"c", {"1"}}, {"c", {"2"}}}, {}, "given already");
    refused({{"c", {"1"}}}, {.parameters = {{"c", 3}}}, "given already");
    refused({{"loss", {"round"}}}, {}, "round");
    const std::vector<std::string> many(40, "1");
    refused({{"c", many}, {"tolerance", many}}, {}, "over 1000");
}

TEST_CASE("Tuning: held-out queries choose, and so does a validation set") {
    const TrainingSet set = noisy_set(braid::test::seed());
    const TrainingSet validation = noisy_set(braid::test::seed() + 1, 30);
    const auto executor = braid::make_executor(1);
    const auto all = all_settings(learners().find("ranksvm"), {}, kStrengths);
    const auto best_of = [&](const std::vector<double>& means) {
        std::size_t best = 0;
        for (std::size_t i = 0; i < means.size(); ++i) {
            if (means[i] > means[best]) best = i;
        }
        return best;
    };
    std::vector<double> held_out;
    std::vector<double> validated;
    for (LearnerOptions each : all) {
        held_out.push_back(held_out_mean(set, each, 4));
        each.validation = &validation;
        const auto function = fit_learner("ranksvm", set, each, *executor).function;
        validated.push_back(TrainingMeasure(validation, "map").mean(function));
    }
    const Tuned by_parts = tune("ranksvm", set, {}, kStrengths, 4, *executor);
    CHECK(by_parts.options.parameters == all[best_of(held_out)].parameters);
    CHECK_THAT(by_parts.reason, Contains("chosen by map on held-out queries (c=0.001 0."));
    LearnerOptions options;
    options.validation = &validation;
    const Tuned by_set = tune("ranksvm", set, options, kStrengths, 4, *executor);
    CHECK(by_set.options.parameters == all[best_of(validated)].parameters);
    CHECK_THAT(by_set.reason, Contains("on the validation queries"));
    CHECK(by_set.options.validation == &validation);
    CHECK_THROWS_WITH(tune("ranksvm", noisy_set(1, 1), {}, kStrengths, 5, *executor),
                      Contains("1 parts of queries"));
}

TEST_CASE("Tuning: a model has what was chosen, and was learned from all queries by it") {
    const TrainingSet set = noisy_set(braid::test::seed());
    const auto executor = braid::make_executor(1);
    braid::TrainingJob job{.learner = "ranksvm", .tuned = kStrengths, .tuning_parts = 3};
    const auto tuned =
        train_model(job, braid::feature_rankers(set.rankers), set, nullptr, *executor);
    const Tuned expected = tune("ranksvm", set, {}, kStrengths, 3, *executor);
    job.tuned.clear();
    job.options = expected.options;
    const auto plain =
        train_model(job, braid::feature_rankers(set.rankers), set, nullptr, *executor);
    CHECK(tuned.result.function == plain.result.function);
    CHECK(tuned.model.provenance.options == plain.model.provenance.options);
    CHECK_THAT(tuned.result.stop_reason, Contains("chosen by map") && Contains("; converged"));
    CHECK_THAT(tuned.model.provenance.learning.stop_reason, Contains("chosen by map"));
}

TEST_CASE("Tuning: what learners are tuned by where nothing is said") {
    CHECK(own_grid(learners().find("ranksvm"))[0].values ==
          std::vector<std::string>{"1", "10", "100", "1000", "10000"});
    CHECK(own_grid(learners().find("rankboost"))[0].name == "rounds");
    CHECK(own_grid(learners().find("wel"))[0].name == "l2");
    CHECK_THROWS_WITH(own_grid(learners().find("uniform")), Contains("NAME=VALUE"));
    CHECK_THROWS_WITH(own_grid(learners().find("uns-enm")), Contains("uns-enm"));
    std::size_t tried = 0;
    for (const auto& info : learners()) {
        std::vector<TunedSetting> grid;
        try {
            grid = own_grid(info);
        } catch (const braid::InvalidArgument&) {
            continue;
        }
        INFO(info.name);
        CHECK(all_settings(info, {}, grid).size() > 1);
        ++tried;
    }
    CHECK(tried > 20);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/training_job.h"

#include <algorithm>
#include <limits>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/one_pass.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/core/learn/trained_model_checks.h"
#include "braid/tests/support/support.h"

using namespace braid;
using braid::test::random_training;
using namespace braid::test;

namespace {

const auto kExecutor = make_executor(1);

TrainedModel train(const TrainingJob& job, const TrainingSet& set,
                   const TrainingSet* validation = nullptr) {
    return train_model(job, feature_rankers(set.rankers), set, validation, *kExecutor);
}

// Rankers of very different sizes.
TrainingSet uneven(std::uint64_t seed) {
    TrainingSet set = random_training(seed);
    for (std::size_t i = 0; i < set.scores.size(); ++i) {
        if (i % set.width() == 1) set.scores[i] *= 1000;
    }
    return set;
}

std::vector<double> scores_of(const FusionModel& model, const TrainingSet& set) {
    std::vector<double> scores(set.rows());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        score_pool(model_function(model), set, q,
                   std::span(scores).subspan(set.query_begin[q], set.pool_size(q)));
    }
    return scores;
}

}  // namespace

TEST_CASE("Training job: a model of two passes keeps the anchor's weights for one", "[property]") {
    const TrainingSet set = random_training(7);
    TrainingJob job;
    job.scale = true;
    job.anchor.assign(set.width(), 0.25);
    job.anchor[0] = 0.5;
    const auto weights_of = [](const FusionModel& model) {
        std::vector<double> weights;
        for (const RankerSpec& spec : model.rankers) weights.push_back(spec.weight);
        return weights;
    };
    for (const std::string learner : {"lambdamart", "mhr-bc"}) {
        INFO(learner);
        job.learner = learner;
        if (learner == "mhr-bc") job.options.choices = {{"weights", "any"}};
        const TrainedModel trained = train(job, set);
        CHECK(weights_of(trained.model) == job.anchor);
        const auto alone = in_one_pass(trained, job.anchor);
        REQUIRE(alone);
        CHECK(alone->result.function == RankingFunction(LinearFunction{job.anchor}));
        CHECK(alone->preparation.scales.empty());
        const CrossValidation folds = cross_validate(job, set, nullptr, {.folds = 2}, *kExecutor);
        for (const FoldResult& fold : in_one_pass(folds, job.anchor).folds) {
            CHECK(fold.function == RankingFunction(LinearFunction{job.anchor}));
        }
        job.options.choices.clear();
    }
    // Trees beside weights: these rank alone, and none is negative.
    job.learner = "lambdamart";
    TrainedModel beside = train(job, set);
    auto forest = std::get<ForestFunction>(beside.result.function);
    forest.linear.assign(set.width(), 3);
    beside.result.function = forest;
    set_model_function(beside.model, forest);
    const auto alone = in_one_pass(beside, job.anchor);
    CHECK(alone->result.function == RankingFunction(LinearFunction{forest.linear}));
    CHECK(alone->preparation.scales == beside.preparation.scales);
    job.learner = "mixed";
    const TrainedModel mixed = train(job, set);
    const auto* trees = std::get_if<ForestFunction>(&mixed.result.function);
    const std::vector<double> weights =
        trees != nullptr ? trees->linear : *fixed_weights(mixed.result.function);
    for (const double weight : weights) CHECK(weight >= 0);
    // Without an anchor nobody set weights.
    job.learner = "lambdamart";
    job.anchor.clear();
    CHECK_FALSE(in_one_pass(train(job, set), {}).has_value());
}

TEST_CASE("Training job: training queries choose among variants, and the best reference decides") {
    TrainingJob job;
    CrossValidation folds;
    folds.folds = {{.queries = {0, 1}}, {.queries = {2, 3}}};
    folds.values = {.queries = {0, 1, 2, 3}, .values = {0.5, 0.7, 0.6, 0.8}};
    References references;
    references.fixed = {{"bm25", {0.5, 0.5, 0.5, 0.5}}};
    // Queries 2 and 3 choose the first variant for 0 and 1, and the other way round.
    references.variants = {{"a", {0.1, 0.2, 0.9, 0.9}}, {"b", {0.6, 0.6, 0.3, 0.1}}};
    const ReferenceComparison found = compare_with_references(job, references, folds, {});
    REQUIRE(found.rankings.size() == 2);
    CHECK(found.rankings[1].name == "bm25 tuned");
    CHECK_THAT(found.rankings[1].mean, WithinRel((0.1 + 0.2 + 0.3 + 0.1) / 4, 1e-12));
    CHECK(found.best == 0);
    CHECK_THAT(found.rankings[0].difference, WithinRel(0.15, 1e-12));
    // t = .15 / (.12910 / 2) = 2.324 of 3 degrees of freedom: p .103.
    CHECK_THAT(found.rankings[0].p, WithinRel(0.1027, 1e-3));
    CHECK_FALSE(found.better);
    // docs/algorithms/significance.md (10): (2.4865 x .12910 / .15)^2 = 4.58.
    CHECK(found.queries_needed == 5);
    CHECK_THAT(found.detectable, WithinRel(2.4865 * 0.1290994 / 2, 1e-6));
    // On test queries, the training queries' best variant is taken and no other.
    const References tested = {{{"bm25", {0.5, 0.5}}}, {{"a", {0.4, 0.4}}, {"b", {0.9, 0.9}}}};
    const ReferenceComparison test = compare_with_references(
        job, references, tested, {.queries = {0, 1}, .values = {0.6, 0.7}}, {});
    CHECK_THAT(test.rankings[1].mean, WithinRel(0.4, 1e-12));
    CHECK(test.queries_needed > 0);
}

TEST_CASE("Training job: scales are the mean spread of a ranker, 1 for a constant one") {
    TrainingSet set;
    set.rankers = {"a", "b"};
    set.queries = {"1", "2"};
    set.query_begin = {0, 2, 4};
    set.grades = {1, 0, 1, 0};
    set.scores = {1, 7, 3, 7, 0, 7, 6, 7};  // a spreads by 1 and by 3.
    CHECK(ranker_scales(set) == std::vector<double>{2, 1});
    const TrainingSet ready = prepared_set(set, {.scales = {2, 1}});
    CHECK(ready.scores == std::vector<double>{0.5, 7, 1.5, 7, 0, 7, 3, 7});
    CHECK_THROWS_WITH(prepared_set(set, {.scales = {2}}), Contains("1 scales for 2 rankers"));
    CHECK_THROWS_WITH(prepared_set(set, {.scales = {2, 0}}), Contains("a scale is 0"));
}

TEST_CASE("Training job: scales become part of the weights", "[property]") {
    for (std::uint64_t round = 0; round < 5; ++round) {
        const TrainingSet set = uneven(braid::test::seed() + round);
        TrainingJob job;
        job.learner = round % 2 == 0 ? "uniform" : "coordinate";
        job.scale = true;
        const TrainedModel trained = train(job, set);
        CHECK(trained.model.normaliser == Normalisation{});
        CHECK(trained.model.function.form == "linear");
        check_ranks_raw_scores(trained, set);
        CHECK(trained.model.rankers[0].weight > 100 * trained.model.rankers[1].weight);
    }
}

TEST_CASE("Training job: the model says where it comes from") {
    const TrainingSet set = random_training(braid::test::seed());
    const TrainingSet validation = random_training(braid::test::seed() + 1);
    TrainingJob job;
    job.learner = "genm-on";
    job.options.parameters["passes"] = 3;
    job.options.seed = 7;
    job.measures = {"p@5", "map"};
    const TrainedModel trained = train(job, set, &validation);
    const ModelProvenance& provenance = trained.model.provenance;
    CHECK(provenance.learner == "genm-on");
    CHECK(provenance.seed == 7);
    CHECK(provenance.options.at("passes") == "3");
    CHECK(provenance.options.at("order") == "given");
    CHECK(provenance.options.size() ==
          learners().find("genm-on").parameters.size() + learners().find("genm-on").choices.size());
    const LearningRecord& learning = provenance.learning;
    CHECK(learning.queries == set.queries.size());
    CHECK(learning.documents == set.rows());
    CHECK(learning.judgements == set.rows());
    CHECK(learning.measure == "map");
    CHECK(learning.measures.size() == 2);
    CHECK_THAT(learning.measures.at("map"),
               WithinRel(TrainingMeasure(set, "map").mean(trained.result.function), 1e-12));
    CHECK_THAT(learning.validation.at("p@5"),
               WithinRel(TrainingMeasure(validation, "p@5").mean(trained.result.function), 1e-12));
    CHECK(learning.curve == trained.result.curve);
    CHECK(learning.state == trained.result.state.values);
    CHECK(!learning.state.empty());
}

TEST_CASE("Training job: queries without a relevant document count 0, or not at all") {
    TrainingSet set = random_training(braid::test::seed(), {.queries = 4});
    for (std::size_t i = set.query_begin[1]; i < set.query_begin[2]; ++i) set.grades[i] = 0;
    for (std::size_t i = set.query_begin[2]; i < set.query_begin[3]; ++i) {
        set.grades[i] = kUnjudged;
    }
    const LinearFunction function{{1, 1, 1, 1}};
    const QueryValues all = measure_queries(set, function, "map", {}, false, *kExecutor);
    CHECK(all.queries == std::vector<std::size_t>{0, 1, 3});  // Nobody judged query 2.
    CHECK(all.values[1] == 0);
    const QueryValues some = measure_queries(set, function, "map", {}, true, *kExecutor);
    CHECK(some.queries == std::vector<std::size_t>{0, 3});
    CHECK_THAT(all.mean(), WithinRel(some.mean() * 2 / 3, 1e-12));
    CHECK(QueryValues{}.mean() == 0);
}

TEST_CASE("Cross-validation: every query is tested once a split, by weights of the others") {
    const TrainingSet set = random_training(braid::test::seed(), {.queries = 11});
    TrainingJob job;
    job.learner = "coordinate";
    CrossValidationOptions options{.folds = 3, .seeds = {1, 2}};
    const CrossValidation result = cross_validate(job, set, nullptr, options, *kExecutor);
    REQUIRE(result.folds.size() == 6);
    for (const FoldResult& fold : result.folds) {
        CHECK(fold.train_queries + fold.test_queries == 11);
        CHECK((fold.test_queries == 3 || fold.test_queries == 4));
    }
    CHECK(result.values.queries.size() == 11);
    // Folds weighted by their queries give the mean over queries.
    double sum = 0;
    for (const FoldResult& fold : result.folds) {
        sum += fold.test * static_cast<double>(fold.test_queries) / 22;
    }
    CHECK_THAT(result.measures.at("map"), WithinRel(sum, 1e-12));
    CHECK_THAT(result.values.mean(), WithinRel(sum, 1e-12));
    // What is learned fits what it was learned from better than the rest.
    double train_mean = 0;
    for (const FoldResult& fold : result.folds) train_mean += fold.train / 6;
    CHECK(train_mean > result.measures.at("map"));
}

TEST_CASE("Cross-validation: baselines are uniform weights and each ranker alone") {
    const TrainingSet set = random_training(braid::test::seed(), {.queries = 20, .signal = 0.8});
    TrainingJob job;
    job.learner = "coordinate";
    const CrossValidation result = cross_validate(job, set, nullptr, {.folds = 2}, *kExecutor);
    REQUIRE(result.baselines.size() == 5);
    CHECK(result.baselines[0].name == "uniform");
    const TrainingMeasure measure(set, "map");
    CHECK_THAT(result.baselines[0].mean,
               WithinRel(measure.mean(LinearFunction{{0.25, 0.25, 0.25, 0.25}}), 1e-12));
    CHECK(result.baselines[2].name == "r1");
    CHECK_THAT(result.baselines[2].mean,
               WithinRel(measure.mean(LinearFunction{{0, 1, 0, 0}}), 1e-12));
    for (const BaselineComparison& baseline : result.baselines) {
        CHECK_THAT(baseline.difference,
                   WithinAbs(result.measures.at("map") - baseline.mean, 1e-12));
        CHECK(baseline.interval.low <= baseline.difference);
        CHECK(baseline.interval.high >= baseline.difference);
        CHECK(baseline.p <= baseline.p_adjusted);
        CHECK(baseline.better + baseline.worse <= 20);
    }
    // Odd rankers are noise.
    CHECK(result.baselines[2].difference > 0.1);
    CHECK(result.baselines[2].better > result.baselines[2].worse);
    CHECK(result.baselines[2].p_adjusted < 0.01);
}

TEST_CASE("Cross-validation: the same at any number of threads, and wrong calls are refused") {
    const TrainingSet set = random_training(braid::test::seed(), {.queries = 8});
    TrainingJob job;
    job.learner = "genm-bat";
    const CrossValidationOptions options{.folds = 2};
    const auto threads = make_executor(4);
    CHECK(cross_validate(job, set, nullptr, options, *kExecutor).values.values ==
          cross_validate(job, set, nullptr, options, *threads).values.values);
    CHECK_THROWS_WITH(cross_validate(job, set, nullptr, {.folds = 9}, *kExecutor), Contains("9"));
    CHECK_THROWS_AS(cross_validate(job, set, nullptr, {.folds = 2, .seeds = {}}, *kExecutor),
                    InvalidArgument);
    TrainingSet few = set;  // Only one query can be learned from: the other part has none.
    for (std::size_t i = few.query_begin[1]; i < few.rows(); ++i) few.grades[i] = 0;
    CHECK_THROWS_WITH(cross_validate(job, few, nullptr, options, *kExecutor),
                      Contains("fold ") && Contains("of seed"));
    const auto stop = [](const ProgressReport&) { return false; };
    CHECK_THROWS_AS(cross_validate(job, set, nullptr, options, *kExecutor, stop), Cancelled);
}

TEST_CASE("Training job: a model scores raw files as it was measured") {
    const TrainingSet set = uneven(braid::test::seed());
    TrainingJob job;
    job.learner = "coordinate";
    job.normaliser.normaliser = "z-score";
    const TrainedModel trained = train(job, set);
    TrainingSet normalised = set;
    normalise(normalised, trained.model.normaliser);
    const std::vector<double> scores = scores_of(trained.model, normalised);
    const TrainingMeasure measure(normalised, "map");
    double sum = 0;
    for (const std::size_t q : measure.queries()) {
        sum +=
            measure.of_scores(q, std::span(scores).subspan(set.query_begin[q], set.pool_size(q)));
    }
    CHECK_THAT(sum / static_cast<double>(measure.queries().size()),
               WithinRel(trained.model.provenance.learning.measures.at("map"), 1e-12));
}

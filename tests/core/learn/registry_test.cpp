// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/registry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "braid/core/eval/measure.h"
#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/core/learn/learner_checks.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

// What the entries of the registry say of learners, and what all promise of hard input.

using namespace braid;
using namespace braid::test;

namespace {

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}, std::size_t threads = 1) {
    return fit_learner(learner, set, options, *make_executor(threads));
}

std::vector<RankerSpec> searchable_rankers(std::size_t count) {
    std::vector<RankerSpec> rankers;
    for (std::size_t k = 0; k < count; ++k) {
        rankers.push_back({.ranker = "bm25", .name = "r" + std::to_string(k)});
    }
    return rankers;
}

// A form that serving knows, of the weights that were learned.
std::string form_of(const RankingFunction& function, std::size_t rankers) {
    FusionModel model{.rankers = searchable_rankers(rankers)};
    set_model_function(model, function);
    return model.function.form;
}

ChoiceMap choice(const std::string& pair) {
    const std::size_t sign = pair.find('=');
    return {{pair.substr(0, sign), pair.substr(sign + 1)}};
}

bool has_parameter(const LearnerInfo& info, const std::string& name) {
    return std::any_of(info.parameters.begin(), info.parameters.end(),
                       [&](const ParameterInfo& parameter) { return parameter.name == name; });
}

// Rankers that are worse than nothing among them, so that signs show.
TrainingSet with_bad_rankers() {
    TrainingSet set = test::random_training(
        test::seed(), {.queries = 24, .rankers = 5, .highest_grade = 2, .signal = 0.6});
    for (std::size_t i = 0; i < set.rows(); ++i) {
        double& score = set.scores[i * 5 + 2];
        score = 2 - score;
    }
    return set;
}

// Pools as lists of the best find them: of many sizes, some of one document or of one grade, with
// relevant documents that no ranker found.
TrainingSet sparse_set() {
    const TrainingSet full =
        test::random_training(test::seed(), {.queries = 24, .highest_grade = 3, .with_ties = true});
    TrainingSet sparse;
    sparse.rankers = full.rankers;
    sparse.query_features = full.query_features;
    sparse.query_feature_names = full.query_feature_names;
    Random random(test::seed(), 7);
    for (std::size_t q = 0; q < full.queries.size(); ++q) {
        sparse.queries.push_back(full.queries[q]);
        std::vector<Grade> outside;
        const double share = q == 0 ? 0 : random.uniform();
        for (std::size_t i = full.query_begin[q]; i < full.query_begin[q + 1]; ++i) {
            const bool is_first = i == full.query_begin[q];
            if (!is_first && random.uniform() > share) {
                if (full.grades[i] > 0) outside.push_back(full.grades[i]);
                continue;
            }
            sparse.grades.push_back(i % 7 == 3 ? kUnjudged : full.grades[i]);
            const auto row = full.row(i);
            sparse.scores.insert(sparse.scores.end(), row.begin(), row.end());
        }
        sparse.query_begin.push_back(sparse.grades.size());
        sparse.unpooled.push_back(std::move(outside));
    }
    return sparse;
}

double mean_of(const TrainingSet& set, const std::string& measure,
               const RankingFunction& function) {
    return TrainingMeasure(set, measure).mean(function);
}

RankingFunction uniform_function(const TrainingSet& set) {
    return LinearFunction{std::vector<double>(set.width(), 1 / static_cast<double>(set.width()))};
}

}  // namespace

TEST_CASE("learners: results have the forms and signs that entries say", "[conformance]") {
    const TrainingSet set = with_bad_rankers();
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const std::string form = form_of(fit(info.name, set).function, set.width());
        INFO(form);
        CHECK(std::count(info.forms.begin(), info.forms.end(), form) == 1);
        CHECK(normalisers().contains(info.normaliser) == (info.normaliser != "scale"));
        CHECK((info.normaliser != "scale" || info.takes_scales));
        if (info.non_negative_with.empty()) continue;
        REQUIRE(info.may_weigh_negatively);
        const RankingFunction kept =
            fit(info.name, set, {.choices = choice(info.non_negative_with)}).function;
        if (const auto* linear = std::get_if<LinearFunction>(&kept)) {
            for (const double weight : linear->weights) CHECK(weight >= 0);
        } else if (const auto* borda = std::get_if<BordaFunction>(&kept)) {
            for (const auto& weights : borda->functions) {
                for (const double weight : weights) CHECK(weight >= 0);
            }
        }
    }
}

TEST_CASE("learners: what is said to take one pass does, and scales are taken or refused",
          "[conformance]") {
    const TrainingSet set = with_bad_rankers();
    const auto executor = make_executor(1);
    std::size_t one_pass = 0;
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        TrainingJob job{.learner = info.name, .scale = true};
        if (!info.non_negative_with.empty()) job.options.choices = choice(info.non_negative_with);
        const auto train = [&] {
            return train_model(job, searchable_rankers(set.width()), set, nullptr, *executor);
        };
        if (!info.takes_scales) {
            std::size_t reports = 0;
            const Progress counted = [&](const ProgressReport&) { return ++reports > 0; };
            CHECK_THROWS_WITH(
                train_model(job, searchable_rankers(set.width()), set, nullptr, *executor, counted),
                Contains("can't take in the scales") && Contains(info.normaliser));
            CHECK(reports == 0);  // Before anything is learned.
            continue;
        }
        const ChoiceMap choices = resolve_options(info, job.options).choices;
        const bool is_said = why_second_pass(info, choices, {}).empty();
        one_pass += is_said ? 1 : 0;
        if (is_said && !info.needs_query_features) {
            CHECK(serving(train().model, false).way == Way::kWeight);
        }
        CHECK(!why_second_pass(info, choices, {.normaliser = "rank"}).empty());
    }
    CHECK(one_pass >= 15);
    const LearnerInfo& signed_weights = learners().find("ranksvm");
    CHECK_THAT(why_second_pass(signed_weights, resolve_options(signed_weights, {}).choices, {}),
               Contains("weights=non-negative"));
}

TEST_CASE("learners: a measure that one can't aim at is known before it learns", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 8});
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        CHECK((info.measures.empty() || info.aims_at_measure));
        for (const char* measure : {"map", "ndcg", "ndcg@5", "ndcg-exp@3", "p@5", "mrr"}) {
            INFO(measure);
            const LearnerOptions options{.measure = measure};
            if (why_not_measure(info, measure).empty()) {
                CHECK_NOTHROW(fit(info.name, set, options));
            } else {
                CHECK_THROWS_AS(fit(info.name, set, options), InvalidArgument);
            }
        }
    }
    CHECK_THAT(why_not_measure(learners().find("permurank"), "p@5"),
               Contains("permurank can't aim at the measure p@5, expected map, ndcg, ndcg@k"));
}

TEST_CASE("learners: they read of grades what entries say", "[conformance]") {
    const TrainingSet graded = test::random_training(
        test::seed(), {.queries = 16, .documents = 20, .highest_grade = 3, .signal = 0.2});
    TrainingSet binary = graded;
    for (Grade& grade : binary.grades) grade = grade > 0 ? 1 : 0;
    TrainingSet none = graded;
    none.grades.assign(none.rows(), 0);
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const TrainingResult result = fit(info.name, graded);
        switch (info.grades) {
            case GradeUse::kNone:
                CHECK(fit(info.name, none).function == result.function);
                CHECK(!info.needs_judgements);
                break;
            case GradeUse::kRelevance:
                CHECK(fit(info.name, binary).function == result.function);
                break;
            case GradeUse::kByMeasure:
                CHECK(info.aims_at_measure);
                CHECK(fit(info.name, binary).function == result.function);
                CHECK(fit(info.name, graded, {.measure = "ndcg@5"}).curve != result.curve);
                break;
            case GradeUse::kGrades:
                break;
        }
    }
}

TEST_CASE("learners: weights by query are refused where nothing is known of queries",
          "[conformance]") {
    TrainingSet bare = test::random_training(test::seed(), {.queries = 10});
    bare.query_features.clear();
    bare.query_feature_names.clear();
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        if (!info.needs_query_features) {
            CHECK_NOTHROW(fit(info.name, bare));
            continue;
        }
        CHECK_THROWS_WITH(fit(info.name, bare), Contains("no query features"));
        if (!info.featureless_with.empty()) {
            CHECK_NOTHROW(fit(info.name, bare, {.choices = choice(info.featureless_with)}));
        }
    }
}

TEST_CASE("learners: no parameter is cut to a whole number, or given in vain", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 4});
    std::size_t whole = 0;
    for (const LearnerInfo& info : learners()) {
        for (const ParameterInfo& parameter : info.parameters) {
            INFO(info.name << " " << parameter.name);
            if (parameter.is_whole) {
                ++whole;
                CHECK(parameter.default_value == std::floor(parameter.default_value));
                CHECK_THROWS_WITH(
                    fit(info.name, set,
                        {.parameters = {{parameter.name, parameter.default_value + 0.7}}}),
                    Contains("expected a whole number"));
            }
            if (parameter.only_with.empty()) continue;
            const std::string name = choice(parameter.only_with).begin()->first;
            const auto entry = std::find_if(info.choices.begin(), info.choices.end(),
                                            [&](const ChoiceInfo& c) { return c.name == name; });
            REQUIRE(entry != info.choices.end());
            for (const std::string& other : entry->values) {
                const LearnerOptions options{
                    .parameters = {{parameter.name, parameter.default_value + 1}},
                    .choices = {{name, other}}};
                if (is_chosen({{name, other}}, parameter.only_with)) {
                    CHECK_NOTHROW(resolve_options(info, options));
                } else {
                    CHECK_THROWS_WITH(resolve_options(info, options), Contains("is read with"));
                }
            }
        }
    }
    CHECK(whole > 30);
}

TEST_CASE("learners: sparse pools and graded judgements are learned from", "[conformance]") {
    const TrainingSet set = sparse_set();
    const TrainingSet held_out =
        test::random_training(test::seed() + 1, {.queries = 30, .highest_grade = 3, .signal = 0.3});
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const TrainingResult result = fit(info.name, set);
        CHECK(std::isfinite(result.objective));
        CHECK(result.function == fit(info.name, set, {}, 4).function);
        std::vector<double> scores(held_out.pool_size(0));
        score_pool(result.function, held_out, 0, scores);
        for (const double score : scores) REQUIRE(std::isfinite(score));
        // Every other ranker knows something, which pools of a few documents show, too.
        const double chance = mean_of(held_out, "ndcg@10", LinearFunction{{0, 1, 0, 1}});
        CHECK(mean_of(held_out, "ndcg@10", result.function) > chance + 0.1);
    }
}

TEST_CASE("learners: what is learned does better than uniform weights", "[conformance]") {
    // One set says little: `ser` gains .1 on average, and on one in ten less than .03.
    constexpr std::uint64_t kSets = 8;
    const auto set_of = [](std::uint64_t number, std::size_t queries) {
        return test::random_training(test::seed() + number,
                                     {.queries = queries, .highest_grade = 3, .signal = 0.25});
    };
    std::map<std::string, double> gains;
    for (std::uint64_t i = 0; i < kSets; ++i) {
        const TrainingSet set = set_of(2 * i, 40);
        const TrainingSet held_out = set_of(2 * i + 1, 60);
        const double uniform = mean_of(held_out, "map", uniform_function(held_out));
        for (const LearnerInfo& info : learners()) {
            if (!info.needs_judgements) continue;
            LearnerOptions options;
            // Its price of leaving uniform weights is meant for scores of spread 1.
            if (info.name == "anchored") options.parameters = {{"lambda", 0.01}};
            gains[info.name] +=
                (mean_of(held_out, "map", fit(info.name, set, options).function) - uniform) / kSets;
        }
    }
    for (const auto& [name, gain] : gains) {
        INFO(name);
        CHECK(gain > 0.03);
    }
}

TEST_CASE("learners: the model has the learning curve", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 12});
    const TrainingSet held_out = test::random_training(test::seed() + 1, {.queries = 6});
    const auto executor = make_executor(1);
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const TrainedModel trained = train_model(
            {.learner = info.name}, feature_rankers(set.rankers), set, &held_out, *executor);
        const FusionModel read = fusion_model_from_bytes(fusion_model_to_bytes(trained.model), "");
        CHECK(read.provenance.learning.curve == trained.result.curve);
        REQUIRE(!trained.result.curve.empty());
        for (const CurvePoint& point : read.provenance.learning.curve) {
            CHECK(std::isfinite(point.objective));
            CHECK(point.validation);
        }
    }
}

TEST_CASE("learners: progress stops every learner at its first and its second report",
          "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 12});
    for (const LearnerInfo& info : learners()) {
        for (const std::size_t threads : {1U, 4U}) {
            std::size_t reports = 0;
            fit_learner(info.name, set, {}, *make_executor(threads),
                        [&](const ProgressReport&) { return ++reports > 0; });
            INFO(info.name << " with " << reports << " reports");
            // Uniform weights are there at once.
            CHECK((reports > 0 || info.name == "uniform"));
            for (std::size_t last = 1; last <= std::min<std::size_t>(reports, 2); ++last) {
                std::size_t seen = 0;
                CHECK_THROWS_AS(fit_learner(info.name, set, {}, *make_executor(threads),
                                            [&](const ProgressReport&) { return ++seen < last; }),
                                Cancelled);
            }
        }
    }
}

TEST_CASE("learners: a score that is no number is refused with its place", "[conformance]") {
    TrainingSet set = test::random_training(test::seed(), {.queries = 4});
    for (std::size_t i = 0; i < set.rows(); ++i) set.documents.push_back("D" + std::to_string(i));
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {std::nan(""), infinity, -infinity}) {
        TrainingSet broken = set;
        broken.scores[41 * 4 + 2] = bad;
        for (const LearnerInfo& info : learners()) {
            INFO(info.name);
            CHECK_THROWS_WITH(fit(info.name, broken),
                              Contains("'r2'") && Contains("'D41'") && Contains("'q1'"));
        }
    }
}

TEST_CASE("learners: patience ends what goes on in steps", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 20, .signal = 0.1});
    TrainingSet held_out = test::random_training(test::seed() + 1, {.queries = 6});
    // What training teaches is wrong here: no step after the first is better for long.
    for (double& score : held_out.scores) score = -score;
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const TrainingResult long_one = fit(info.name, set, {.validation = &held_out});
        // A curve of many points has steps among which to stop.
        if (long_one.curve.size() > 2) REQUIRE(has_parameter(info, "patience"));
        if (!has_parameter(info, "patience")) continue;
        const TrainingResult result =
            fit(info.name, set, {.parameters = {{"patience", 1}}, .validation = &held_out});
        CHECK(result.curve.size() <= long_one.curve.size());
        CHECK(std::isfinite(result.objective));
    }
}

TEST_CASE("learners: a strong pull towards uniform weights gives these", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 12});
    std::vector<std::string> pulled;
    for (const LearnerInfo& info : learners()) {
        for (const ParameterInfo& parameter : info.parameters) {
            if (parameter.name != "l2" || parameter.summary.find("uniform") == std::string::npos) {
                continue;
            }
            INFO(info.name);
            pulled.push_back(info.name);
            const TrainingResult result = fit(info.name, set, {.parameters = {{"l2", 1e6}}});
            for (const double weight : std::get<LinearFunction>(result.function).weights) {
                CHECK(weight == Approx(0.25).margin(1e-3));
            }
        }
    }
    CHECK(pulled ==
          std::vector<std::string>{"genm-bat", "genm-on", "genm-ip", "uns-enm", "coordinate"});
}

TEST_CASE("learners: folds of every learner, and never more folds than queries", "[conformance]") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 8, .documents = 12});
    const auto executor = make_executor(1);
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        const TrainingJob job{.learner = info.name};
        const CrossValidation folds = cross_validate(job, set, nullptr, {.folds = 2}, *executor);
        CHECK(folds.folds.size() == 2);
        CHECK(folds.values.values.size() == 8);
        for (const double value : folds.values.values) CHECK(std::isfinite(value));
        CHECK_THROWS_WITH(cross_validate(job, set, nullptr, {.folds = 9}, *executor),
                          Contains("9"));
    }
}

TEST_CASE("Components: every family says what its registry has") {
    const auto names = [](Family family) {
        std::vector<std::string> result;
        for (const ComponentInfo& info : components(family)) {
            CHECK_FALSE(info.summary.empty());
            result.push_back(info.name);
        }
        return result;
    };
    CHECK(names(Family::kLearners) == learners().names());
    CHECK(names(Family::kRankers) == model_rankers().names());
    CHECK(names(Family::kMeasures) == measures().names());
    for (const Family family :
         {Family::kNormalisers, Family::kFusionMethods, Family::kTopicModels}) {
        CHECK(names(family).size() > 2);
    }
    const auto listed = components(Family::kLearners);
    for (std::size_t i = 0; i < listed.size(); ++i) {
        CHECK(listed[i].parameters.size() == (learners().begin() + i)->parameters.size());
        CHECK(listed[i].choices.size() == (learners().begin() + i)->choices.size());
    }
}

TEST_CASE("Learning: one call gives the model of the job") {
    const TrainingSet set = test::random_training(test::seed(), {.queries = 12});
    const auto executor = make_executor(1);
    const TrainingJob job{.learner = "genm-bat", .scale = true};
    const auto rankers = feature_rankers(set.rankers);
    const LearnedModel learned = learn_model(job, rankers, set, nullptr, *executor);
    const TrainedModel trained = train_model(job, rankers, set, nullptr, *executor);
    CHECK(learned.model == trained.model);
    CHECK(learned.warnings == trained.result.warnings);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Features of every finite size, for every learner of the registry.
#include <cmath>
#include <limits>

#include "braid/core/learn/job/training_job.h"
#include "braid/core/model/model_function.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/core/learn/trained_model_checks.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

const auto kExecutor = make_executor(1);

TrainingSet named_set() {
    TrainingSet set = random_training(seed(), {.queries = 8, .documents = 20, .signal = 1});
    for (std::size_t i = 0; i < set.rows(); ++i) set.documents.push_back("d" + std::to_string(i));
    set.places.resize(set.rows() * 2);
    for (std::size_t i = 0; i < set.places.size(); ++i) {
        set.places[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    }
    return set;
}

TrainedModel train(const std::string& learner, const TrainingSet& set,
                   const std::string& normaliser = "none") {
    TrainingJob job;
    job.learner = learner;
    // The cutting planes of raw scores of unlike sizes come in thousands.
    for (const ParameterInfo& parameter : learners().find(learner).parameters) {
        if (parameter.name == "iterations") job.options.parameters["iterations"] = 5;
    }
    job.scale = normaliser == "scale";
    if (!job.scale) job.normaliser.normaliser = normaliser;
    return train_model(job, feature_rankers(set.rankers), set, nullptr, *kExecutor);
}

// One ranker's scores become those of `values` in turn, the relevant documents' the last two.
TrainingSet with_column(const TrainingSet& set, std::size_t ranker,
                        const std::vector<double>& values) {
    TrainingSet result = set;
    for (std::size_t i = 0; i < set.rows(); ++i) {
        const std::size_t last = values.size() - 1 - i % 2;
        result.scores[i * set.width() + ranker] =
            set.grades[i] > 0 ? values[last] : values[i % values.size()];
    }
    return result;
}

// That a model ranks every document, by weights of which one counts at least.
void check_sensible(const TrainedModel& trained, const TrainingSet& set) {
    const RankingFunction function = model_function(trained.model);
    bool differs = false;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::vector<double> scores(set.pool_size(q));
        REQUIRE_NOTHROW(score_pool(function, set, q, scores));
        differs = differs || scores.front() != scores.back();
    }
    CHECK(differs);
    CHECK(std::isfinite(trained.result.objective));
}

}  // namespace

TEST_CASE("Feature sizes: what is too large is scaled as by scale, or refused with its place",
          "[conformance]") {
    const TrainingSet set = named_set();
    TrainingSet large = set;
    const int exponents[] = {60, 500, -400, 0};
    for (std::size_t i = 0; i < set.scores.size(); ++i) {
        large.scores[i] = std::ldexp(set.scores[i], exponents[i % 4]);
    }
    for (const LearnerInfo& info : learners()) {
        INFO(info.name);
        if (!info.takes_scales) {
            CHECK_THROWS_WITH(train(info.name, large),
                              Contains("ranker 'r1' gives document 'd") &&
                                  Contains("of query 'q") && Contains("expected at most 1e+12") &&
                                  Contains("normalise the scores (" + info.normaliser + ")"));
            continue;
        }
        const TrainedModel expected = train(info.name, set, "scale");
        const TrainedModel found = train(info.name, large);
        CHECK(found.result.function == expected.result.function);
        CHECK(found.result.objective == expected.result.objective);
        REQUIRE(found.result.warnings.size() == expected.result.warnings.size() + 1);
        CHECK_THAT(found.result.warnings[0],
                   Contains("ranker 'r1'") && Contains("scores were scaled"));
        for (std::size_t k = 0; k < 4; ++k) {
            CHECK(found.preparation.scales[k] ==
                  std::ldexp(expected.preparation.scales[k], exponents[k]));
        }
        check_ranks_raw_scores(found, large);
    }
}

TEST_CASE("Feature sizes: every learner takes columns of every kind", "[conformance]") {
    const TrainingSet set = named_set();
    const std::vector<std::vector<double>> columns = {
        {0, 0, 1.7e18},         {1.7e18, 1.7e18 + 256, 1.7e18 + 1e9},
        {-1e308, 1e308},        {0, 1e-308},
        {0, kDenormal},         {1e308, 1e308},
        {0, 1e308, -1, 1e-308}, {-1e12, 0, 1e12}};
    for (const std::vector<double>& column : columns) {
        const TrainingSet odd = with_column(set, 1, column);
        for (const LearnerInfo& info : learners()) {
            for (const std::string normaliser : {"none", "scale", "z-score", "min-max"}) {
                INFO(info.name << ", " << normaliser << ", " << column[0] << " " << column[1]);
                const bool takes =
                    info.takes_scales ||
                    (normaliser != "scale" && why_too_large(odd, kLargestLearnedScore).empty()) ||
                    normaliser == "z-score" || normaliser == "min-max";
                if (takes) {
                    check_sensible(
                        train(info.name, odd, normaliser),
                        prepared_set(
                            odd, {.normaliser = {normaliser == "scale" ? "none" : normaliser}}));
                } else {
                    CHECK_THROWS_AS(train(info.name, odd, normaliser), InvalidArgument);
                }
            }
        }
    }
}

TEST_CASE("Feature sizes: scores that no weights hold together are refused with their rankers") {
    const TrainingSet set =
        with_column(with_column(named_set(), 0, {-1e308, 1e308}), 2, {0, 1e-200});
    CHECK_THROWS_WITH(train("uniform", set), Contains("ranker 'r0' spread by 9.9") &&
                                                 Contains("ranker 'r2'") &&
                                                 Contains("normalise the scores (z-score)"));
    CHECK_NOTHROW(train("genm-bat", set, "z-score"));
    const TrainingSet usual = named_set();
    CHECK_THROWS_WITH(fit_learner("genm-bat", with_column(usual, 3, {0, -2e12}), {}, *kExecutor),
                      Contains("ranker 'r3'") && Contains("-2e+12"));
    CHECK(why_too_large(usual, 10) == "");
}

TEST_CASE("Feature sizes: a score that overflows is refused with its document") {
    const TrainingSet set =
        with_column(with_column(named_set(), 0, {1e308, 1e308}), 1, {1e308, 1e308});
    std::vector<double> scores(set.pool_size(2));
    CHECK_THROWS_WITH(score_pool(LinearFunction{{1, 1, 0, 0}}, set, 2, scores),
                      Contains("document 'd40' of query 'q2' is inf"));
    CHECK_NOTHROW(score_pool(LinearFunction{{0.5, 0.5, 0, 0}}, set, 2, scores));
}

TEST_CASE("Feature sizes: deviations and list statistics are finite and follow the scale") {
    const TrainingSet set = named_set();
    for (const int exponent : {1000, -1000}) {
        TrainingSet other = set;
        for (double& score : other.scores) score = std::ldexp(score, exponent);
        for (std::size_t k = 0; k < set.width(); ++k) {
            CHECK(score_deviation(other, 3, k) == std::ldexp(score_deviation(set, 3, k), exponent));
        }
        const std::vector<double> expected = list_statistics(set, 3);
        const std::vector<double> found = list_statistics(other, 3);
        CHECK(found[4] == expected[4]);  // Agreement.
        CHECK(found[5] == expected[5]);
    }
    const TrainingSet opposite = with_column(set, 1, {-1.7e308, 1.7e308});
    CHECK(score_deviation(opposite, 0, 1) > 1e308);
    for (const double value : list_statistics(opposite, 0)) CHECK(std::isfinite(value));
}

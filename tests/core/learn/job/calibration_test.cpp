// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/core/base/random.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

const auto kExecutor = make_executor(1);

std::vector<std::size_t> all_rows(const HeldOutScores& held_out) {
    std::vector<std::size_t> rows(held_out.scores.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

// Documents whose probability of relevance is known.
template <typename Truth>
HeldOutScores simulated(std::uint64_t seed, std::size_t queries, std::size_t documents,
                        const Truth& truth) {
    Random random(seed);
    HeldOutScores result;
    for (std::size_t q = 0; q < queries; ++q) {
        for (std::size_t d = 0; d < documents; ++d) {
            const double score = 4 * random.uniform() - 2;
            result.scores.push_back(score);
            result.grades.push_back(random.uniform() < truth(score) ? 1 : 0);
        }
        result.query_begin.push_back(result.scores.size());
        result.parts.push_back(q % 5);
    }
    return result;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("Calibration: linear between points, constant beyond, and its inverse") {
    const Calibration calibration{{1, 2.5, 4}, {1.0 / 8, 5.0 / 12, 5.0 / 12}};
    CHECK(calibration.probability(-9) == 1.0 / 8);
    CHECK(calibration.probability(9) == 5.0 / 12);
    CHECK_THAT(calibration.probability(1.75), WithinRel(13.0 / 48, 1e-12));
    CHECK(calibration.probability(3) == 5.0 / 12);
    CHECK_THAT(calibration.least_score(13.0 / 48), WithinRel(1.75, 1e-12));
    CHECK(calibration.least_score(5.0 / 12) == 2.5);
    CHECK(calibration.least_score(1.0 / 8) == -std::numeric_limits<double>::infinity());
    CHECK(calibration.least_score(.5) == std::numeric_limits<double>::infinity());
    CHECK(calibration.probability(std::nan("")) == 1.0 / 8);
    for (int i = 0; i <= 100; ++i) {
        const double wanted = 1.0 / 8 + i / 100.0 * (5.0 / 12 - 1.0 / 8);
        const double least = calibration.least_score(wanted);
        CHECK(calibration.probability(least) >= wanted);
        if (std::isfinite(least)) CHECK(calibration.probability(least - 1e-6) <= wanted);
    }
}

TEST_CASE("Calibration: what is none is refused") {
    CHECK(why_no_calibration({}).empty());
    CHECK(why_no_calibration({{1, 2}, {0, 1}}).empty());
    CHECK_THAT(why_no_calibration({{1}, {}}), Contains("0 probabilities for 1 scores"));
    CHECK_THAT(why_no_calibration({{1, 1}, {0, 1}}), Contains("as score 2, expected"));
    CHECK_THAT(why_no_calibration({{1, 2}, {.5, .4}}), Contains("as probability 2, expected 0.5"));
    CHECK_THAT(why_no_calibration({{1}, {1.5}}), Contains("1.5 as probability 1"));
    CHECK_THAT(why_no_calibration({{1}, {std::nan("")}}), Contains("nan"));
}

TEST_CASE("Calibration: two bins worked by hand, in order and out of it") {
    HeldOutScores held_out;
    for (int i = 0; i < 20;
         ++i) {  // Scores 1 .. 20; of the lower ten 2 are relevant, of the others 8.
        held_out.scores.push_back(i + 1);
        held_out.grades.push_back(i < 10 ? (i < 2 ? 1 : 0) : (i < 18 ? 1 : 0));
    }
    held_out.query_begin = {0, 20};
    held_out.parts = {0};
    const Calibration ordered = fit_isotonic(held_out, all_rows(held_out));
    CHECK(ordered.scores == std::vector<double>{5.5, 15.5});
    REQUIRE(ordered.probabilities.size() == 2);
    CHECK_THAT(ordered.probabilities[0], WithinRel(2.5 / 11, 1e-12));  // (2 + 1/2) / (10 + 1)
    CHECK_THAT(ordered.probabilities[1], WithinRel(8.5 / 11, 1e-12));
    for (double& score : held_out.scores) score = -score;
    const Calibration joined = fit_isotonic(held_out, all_rows(held_out));
    CHECK(joined.scores == std::vector<double>{-10.5});
    CHECK_THAT(joined.probabilities[0], WithinRel(.5, 1e-12));
    for (double& score : held_out.scores) score = 3;
    CHECK(fit_isotonic(held_out, all_rows(held_out)).scores == std::vector<double>{3});
    CHECK(fit_logistic(held_out, all_rows(held_out)).probabilities == std::vector<double>{.5});
}

TEST_CASE("Calibration: finds the probabilities that documents were made by", "[property]") {
    const auto bent = [](double score) { return score < 1 ? .02 : .02 + .5 * (score - 1); };
    const HeldOutScores held_out = simulated(seed(), 300, 60, bent);
    const CalibrationFindings found = calibrate(held_out);
    CHECK(found.method == "isotonic");
    CHECK(found.queries == 300);
    for (const double score : {-1.9, -.5, .5, 1.3, 1.6, 1.9}) {
        INFO(score);
        CHECK_THAT(found.calibration.probability(score), WithinAbs(bent(score), .05));
    }
    CHECK(found.reliability.error < .02);
    CHECK(found.reliability.documents == 18000);
    CHECK(found.reliability.brier < found.reliability.constant_brier);
    // The same points for queries that it was not fitted to.
    CalibrationFindings tested = found;
    measure_on_test(tested, simulated(seed() + 1, 300, 60, bent));
    CHECK(tested.is_of_test);
    CHECK(tested.reliability.error < .02);
    // A wrong one shows.
    tested.calibration = {{-2, 2}, {.4, .9}};
    measure_on_test(tested, simulated(seed() + 1, 300, 60, bent));
    CHECK(tested.reliability.error > .3);
    CHECK(tested.reliability.brier > tested.reliability.constant_brier);
}

TEST_CASE("Calibration: a logistic truth is found by few documents", "[property]") {
    const auto truth = [](double score) { return logistic(2 * score - 1); };
    const HeldOutScores held_out = simulated(seed() + 2, 400, 50, truth);
    const Calibration many = fit_logistic(held_out, all_rows(held_out));
    for (const double score : {-2.0, -1.0, 0.0, .5, 1.0, 2.0}) {
        CHECK_THAT(many.probability(score), WithinAbs(truth(score), .02));
    }
    // Few documents may look otherwise now and then.
    int logistic_found = 0;
    for (std::uint64_t set = 0; set < 15; ++set) {
        const CalibrationFindings few = calibrate(simulated(seed() + 3 + set, 10, 20, truth));
        if (few.method == "logistic") ++logistic_found;
    }
    CHECK(logistic_found >= 10);
}

TEST_CASE("Calibration: models of folds in another unit give the scores of the whole") {
    const TrainingSet set = random_training(seed() + 4, {.queries = 10, .rankers = 2});
    TrainedModel trained;
    trained.model.rankers = feature_rankers(set.rankers);
    trained.result.function = LinearFunction{{1, 2}};
    CrossValidation folds;
    for (std::size_t f = 0; f < 2; ++f) {
        FoldResult fold{.seed = 7, .fold = f};
        for (std::size_t q = f; q < 10; q += 2) fold.queries.push_back(q);
        const double unit = f == 0 ? 3 : 0.01;
        fold.function = LinearFunction{{unit, 2 * unit}};
        folds.folds.push_back(fold);
    }
    folds.folds.push_back({.seed = 8, .function = LinearFunction{{1, 0}}});  // Another split.
    const HeldOutScores held_out = fold_scores(trained, folds, set, 1);
    REQUIRE(held_out.parts.size() == 10);
    CHECK(held_out.parts[0] == 0);
    CHECK(held_out.parts[5] == 1);
    REQUIRE(held_out.query_begin[1] == 10);  // The ten best, by the scores of the whole.
    std::vector<double> scores;
    for (std::size_t i = 0; i < set.pool_size(0); ++i) {
        const auto row = set.row(set.query_begin[0] + i);
        scores.push_back(row[0] + 2 * row[1]);
    }
    std::sort(scores.rbegin(), scores.rend());
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK_THAT(held_out.scores[i], WithinRel(scores[i], 1e-9));
    }
    // Queries without a judgement say nothing.
    TrainingSet partly = set;
    for (std::size_t i = set.query_begin[3]; i < set.query_begin[4]; ++i) {
        partly.grades[i] = kUnjudged;
    }
    CHECK(fold_scores(trained, folds, partly, 1).parts.size() == 9);
    CHECK(own_scores(trained, partly, 1).parts.size() == 9);
}

TEST_CASE("Calibration: raw scores of a database are divided by the query's bound") {
    TrainingSet set = random_training(seed() + 9, {.queries = 4, .rankers = 2});
    TrainedModel trained;
    trained.model.rankers = {{.ranker = "bm25", .weight = 1}, {.ranker = "dph", .weight = 2}};
    trained.result.function = LinearFunction{{1, 2}};
    CHECK(bound_weights(trained.model) == std::vector<double>{1, 2});
    CHECK(own_scores(trained, set, 1).scores.empty());  // Without bounds.
    for (std::size_t q = 0; q < 4; ++q) {
        set.bounds.push_back(10.0 * static_cast<double>(q + 1));
        set.bounds.push_back(5);
    }
    const HeldOutScores divided = own_scores(trained, set, 1);
    TrainedModel file = trained;
    file.model.rankers = feature_rankers(set.rankers);
    CHECK(bound_weights(file.model).empty());
    const HeldOutScores plain = own_scores(file, set, 1);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK_THAT(divided.scores[i], WithinRel(plain.scores[i] / 20, 1e-12));
        CHECK_THAT(divided.scores[10 + i], WithinRel(plain.scores[10 + i] / 30, 1e-12));
    }
    const Calibration of_query = query_calibration({{.25, .5}, {.1, .9}}, 20);
    CHECK(of_query == Calibration{{5, 10}, {.1, .9}});
    CHECK(can_be_calibrated(trained.model));
    FusionModel steps;  // Of raw scores: they have no such bound, and so no probabilities.
    steps.function = {.form = "steps",
                      .numbers = {{"rankers", {0}}, {"thresholds", {1}}, {"rises", {1}}}};
    CHECK(!can_be_calibrated(steps));
    steps.normaliser.normaliser = "z-score";
    CHECK(can_be_calibrated(steps));
}

TEST_CASE("Calibration: holds for new queries, whatever learned", "[property]") {
    for (const std::string learner : {"genm-on", "listnet", "mixed", "lambdamart", "rankboost"}) {
        INFO(learner);
        TrainingJob job;
        job.learner = learner;
        const RandomTrainingOptions kind{.queries = 400, .signal = .5};
        const TrainingSet train = random_training(seed() + 5, kind);
        const TrainingSet test = random_training(seed() + 6, kind);
        const TrainedModel trained =
            train_model(job, feature_rankers(train.rankers), train, nullptr, *kExecutor);
        const CrossValidation folds = cross_validate(job, train, nullptr, {.folds = 5}, *kExecutor);
        CalibrationFindings found = calibrate(fold_scores(trained, folds, train, 1));
        REQUIRE(!found.calibration.empty());
        CHECK(why_no_calibration(found.calibration).empty());
        CHECK(found.reliability.error < .05);
        measure_on_test(found, own_scores(trained, test, 1));
        CHECK(found.reliability.error < .06);
        CHECK(found.reliability.brier < .9 * found.reliability.constant_brier);
    }
}

TEST_CASE("Calibration: judgements that say nothing give none") {
    HeldOutScores held_out = simulated(seed() + 8, 10, 20, [](double) { return .5; });
    for (Grade& grade : held_out.grades) grade = 0;
    CHECK(calibrate(held_out).calibration.empty());
    for (Grade& grade : held_out.grades) grade = 1;
    CHECK(calibrate(held_out).calibration.empty());
    CHECK(calibrate({}).calibration.empty());
    held_out.grades[0] = 0;  // Without the first part the others have no irrelevant one.
    CHECK(calibrate(held_out).calibration.empty());
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/training_findings.h"

#include <algorithm>
#include <numeric>

#include "braid/core/eval/summary.h"
#include "braid/core/learn/training_measure.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Kind = MeasuredSystem::Kind;
using Part = TrainingFindings::Part;

namespace {

const auto kExecutor = make_executor(1);

struct Trained {
    TrainingJob job;
    CrossValidationOptions folding = {.folds = 3, .seeds = {1, 2}};
    TrainingSet set = random_training(braid::test::seed());
    TrainedModel model;
    std::optional<CrossValidation> folds;

    explicit Trained(const std::string& learner) {
        job.learner = learner;
        job.measures = {"p@5"};
        job.scale = learner != "sser" && learner != "aem";  // These can't take scales in.
        job.follow = true;
    }

    void learn() {
        model = train_model(job, feature_rankers(set.rankers), set, nullptr, *kExecutor);
    }
    void fold() { folds = cross_validate(job, set, nullptr, folding, *kExecutor); }

    TrainingFindings findings(const TrainingSet* test = nullptr,
                              const QueryOracle* oracle = nullptr) const {
        return find_out({.job = job,
                         .trained = model,
                         .train = set,
                         .test = test,
                         .folds = folds ? &*folds : nullptr,
                         .folding = folding,
                         .oracle = oracle},
                        *kExecutor);
    }
};

}  // namespace

TEST_CASE("Findings: on a test file every system has the values that measuring it gives") {
    Trained trained("coordinate");
    trained.learn();
    const TrainingSet test = random_training(braid::test::seed() + 1);
    const TrainingSet ready = prepared_set(test, trained.model.preparation);
    const QueryOracle oracle = find_query_oracle(ready, {}, *kExecutor);
    const TrainingFindings found = trained.findings(&test, &oracle);
    CHECK(found.part == Part::kTest);
    CHECK(found.measures == std::vector<std::string>{"map", "p@5"});
    CHECK(found.queries == test.queries);
    REQUIRE(found.systems.size() == 2 + test.width() + 1);
    const TrainingMeasure map(ready, "map");
    const TrainingMeasure p5(ready, "p@5");
    const RankingFunction& function = trained.model.result.function;
    CHECK(found.systems[0].values == map.values(function, *kExecutor));
    CHECK_THAT(found.systems[0].means[1], WithinRel(p5.mean(function), 1e-12));
    CHECK(found.systems[1].kind == Kind::kUniform);
    for (std::size_t k = 0; k < test.width(); ++k) {
        LinearFunction alone{std::vector<double>(test.width(), 0)};
        alone.weights[k] = 1;
        const MeasuredSystem& single = found.systems[2 + k];
        CHECK(single.name == test.rankers[k]);
        CHECK_THAT(single.means[0], WithinRel(map.mean(alone), 1e-12));
        CHECK(single.means[0] <= found.systems[found.best_single].means[0]);
        CHECK(single.precision.empty() == (2 + k != found.best_single));
    }
    const MeasuredSystem* ceiling = found.system(Kind::kOracle);
    REQUIRE(ceiling != nullptr);
    CHECK_THAT(ceiling->means[0], WithinRel(oracle.mean, 1e-12));
    for (std::size_t q = 0; q < found.queries.size(); ++q) {
        CHECK(ceiling->values[q] >= found.systems[0].values[q] - 1e-12);
        CHECK(found.documents[q] == 40);
        CHECK(found.relevant[q] == 5);
    }
    CHECK(found.baselines.size() == 1 + test.width());
    CHECK_FALSE(found.adaptive.has_value());
}

TEST_CASE("Findings: precision at recall 0 .. 1 falls, and a perfect ranker's is 1") {
    Trained trained("uniform");
    for (std::size_t i = 0; i < trained.set.rows(); ++i) {
        trained.set.scores[i * trained.set.width()] = 100 * trained.set.grades[i];
    }
    trained.learn();
    const TrainingFindings found = trained.findings();
    CHECK(found.part == Part::kTraining);
    CHECK(found.systems[found.best_single].name == "r0");
    CHECK(found.systems[found.best_single].precision == std::vector<double>(11, 1.0));
    const std::vector<double>& uniform = found.systems[1].precision;
    REQUIRE(uniform.size() == 11);
    CHECK(std::is_sorted(uniform.rbegin(), uniform.rend()));
    CHECK(uniform == found.systems[0].precision);
}

TEST_CASE("Findings: in folds the learned values are those of cross-validation") {
    Trained trained("genm-on");
    trained.learn();
    trained.fold();
    const TrainingFindings found = trained.findings();
    CHECK(found.part == Part::kFolds);
    CHECK(found.systems[0].values == trained.folds->values.values);
    CHECK_THAT(found.systems[0].means[1], WithinRel(trained.folds->measures.at("p@5"), 1e-12));
    CHECK_THAT(found.systems[1].means[0], WithinRel(found.baselines[0].mean, 1e-12));
    std::vector<std::size_t> tested;
    for (const FoldResult& fold : trained.folds->folds) {
        tested.insert(tested.end(), fold.queries.begin(), fold.queries.end());
        // Followed on both parts; the last point is what the fold reports.
        REQUIRE(!fold.curve.empty());
        for (const CurvePoint& point : fold.curve) REQUIRE(point.watched.size() == 2);
        CHECK_THAT(fold.curve.back().watched[0], WithinRel(fold.train, 1e-12));
        CHECK_THAT(fold.curve.back().watched[1], WithinRel(fold.test, 1e-12));
    }
    CHECK(tested.size() == 2 * trained.set.queries.size());
}

TEST_CASE("Findings: every learner is followed, and following changes nothing it learns") {
    for (const LearnerInfo& info : learners()) {
        if (info.name == "permurank") continue;  // Slow; its monitor is that of others.
        INFO(info.name);
        if (!info.fixed_counterpart.empty()) {
            CHECK(learners().find(info.fixed_counterpart).fixed_counterpart.empty());
        }
        Trained trained(info.name);
        trained.job.held_out = &trained.set;
        trained.learn();
        const TrainingResult followed = trained.model.result;
        REQUIRE(!followed.curve.empty());
        CHECK(followed.curve.back().watched.size() == 2);
        const FusionModel model = trained.model.model;
        trained.job.follow = false;
        trained.learn();
        CHECK(trained.model.result.function == followed.function);
        CHECK(trained.model.result.curve.back().watched.empty());
        // The model file has nothing of it.
        CHECK(trained.model.model == model);
    }
}

TEST_CASE("Findings: the terms of the loss add up, whatever the weights depend on", "[property]") {
    for (const std::string learner : {"genm-on", "wel", "awel", "sser", "aem"}) {
        INFO(learner);
        Trained trained(learner);
        if (learner == "awel") trained.job.options.parameters["folds"] = 0;
        trained.learn();
        const TrainingFindings found = trained.findings();
        for (const auto& terms : {found.loss, found.uniform_loss}) {
            REQUIRE(terms.has_value());
            CHECK(terms->queries == trained.set.queries.size());
            CHECK_THAT(terms->rankers - terms->ambiguity - terms->sum_term,
                       WithinAbs(terms->ensemble, 1e-9));
        }
        CHECK(std::abs(found.uniform_loss->sum_term) < 1e-12);
        CHECK(found.uniform_loss->ambiguity > 0);
    }
}

TEST_CASE("Findings: the loss is that of the learner's own weights, not of their shares") {
    Trained trained("wel");
    trained.job.options.choices["weights"] = "non-negative";
    trained.learn();
    const LossTerms converged = trained.findings().loss.value();
    CHECK_THAT(converged.weight_sum, WithinRel(trained.model.result.scale, 1e-12));
    CHECK(std::abs(converged.weight_sum - 1) > 0.1);
    // At the optimum no other scale of the scores lowers the loss.
    CHECK(std::abs(converged.sum_term) < 1e-2);
    trained.model.result.scale = 1;
    const LossTerms shares = trained.findings().loss.value();
    CHECK_THAT(shares.weight_sum, WithinAbs(1, 1e-12));
    CHECK(shares.ensemble > converged.ensemble);

    // Where the scale isn't the best one, the term says so.
    trained.model.result.scale = 3 * converged.weight_sum;
    const LossTerms sharp = trained.findings().loss.value();
    CHECK(sharp.ensemble > converged.ensemble);
    CHECK(std::abs(sharp.sum_term) > 1e-3);
    CHECK_THAT(sharp.rankers - sharp.ambiguity - sharp.sum_term, WithinAbs(sharp.ensemble, 1e-9));
}

TEST_CASE("Findings: rankers are mapped beside what was learned of them") {
    Trained trained("uniform");
    trained.set.rankers[1] = "learned";  // A name that is taken.
    trained.learn();
    const TrainingFindings found = trained.findings();
    const std::size_t size = trained.set.width() + 1;
    REQUIRE(found.mapped.size() == size);
    CHECK(found.mapped.back() == "learned*");
    CHECK(found.map.points.size() == 2 * size);
    const std::vector<double> alone = ranker_distances(prepared_set(trained.set, {}), found.depth);
    for (std::size_t i = 0; i + 1 < size; ++i) {
        for (std::size_t j = 0; j + 1 < size; ++j) {
            CHECK(found.distances[i * size + j] == alone[i * (size - 1) + j]);
        }
    }
}

TEST_CASE("Findings: weights by query are compared with fixed ones of the same folds") {
    Trained trained("awel");
    trained.job.options.parameters["folds"] = 0;  // No falling back.
    // The first ranker is right where the first feature is high, the third elsewhere.
    TrainingSet& set = trained.set;
    set = random_training(braid::test::seed(), {.queries = 90, .signal = 0});
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::size_t right = set.query_features[2 * q] > 0 ? 0 : 2;
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            set.scores[i * set.width() + right] += 0.3 * set.grades[i];
            set.scores[i * set.width() + 2 - right] -= 0.1 * set.grades[i];
        }
    }
    trained.learn();
    trained.fold();
    const TrainingFindings found = trained.findings();
    REQUIRE(found.adaptive.has_value());
    const AdaptiveFindings& adaptive = *found.adaptive;
    CHECK(adaptive.fixed_learner == "wel");
    CHECK(adaptive.helps);
    CHECK(adaptive.gain.p < 0.01);
    CHECK(adaptive.fits == 6);
    CHECK(adaptive.kept_fixed == 0);
    CHECK(adaptive.features.size() == 2);
    CHECK(adaptive.weights.size() == set.queries.size());
    CHECK(adaptive.weights[0] != adaptive.weights[1]);
    TrainingJob fixed = trained.job;
    fixed.learner = "wel";
    fixed.options.parameters.clear();
    const CrossValidation folds = cross_validate(fixed, set, nullptr, trained.folding, *kExecutor);
    CHECK(found.system(Kind::kFixed)->values == folds.values.values);
    CHECK_THAT(adaptive.gain.difference,
               WithinAbs(found.systems[0].means[0] - folds.measures.at("map"), 1e-12));
}

TEST_CASE("Findings: features that mean nothing don't help, and the model keeps fixed weights") {
    Trained trained("awel");
    trained.learn();
    trained.fold();
    const TrainingFindings found = trained.findings();
    REQUIRE(found.adaptive.has_value());
    CHECK_FALSE(found.adaptive->helps);
    CHECK(found.adaptive->kept_fixed > 0);
}

TEST_CASE("Findings: pairs of documents are counted as one would by hand", "[property]") {
    Trained trained("uniform");
    trained.set = random_training(
        braid::test::seed(),
        {.queries = 6, .documents = 15, .rankers = 3, .highest_grade = 2, .with_ties = true});
    trained.learn();
    const TrainingFindings found = trained.findings(&trained.set);
    const TrainingSet ready = prepared_set(trained.set, trained.model.preparation);
    REQUIRE(found.unequal_pairs.size() == 6);
    for (std::size_t i = 0; i < found.grade_pairs.size(); ++i) {
        const GradePair& pair = found.grade_pairs[i];
        CHECK(pair.upper > pair.lower);
        double pairs = 0;
        double wrong = 0;
        for (std::size_t q = 0; q < 6; ++q) {
            std::vector<double> scores(15);
            score_pool(trained.model.result.function, ready, q, scores);
            for (std::size_t a = 0; a < 15; ++a) {
                for (std::size_t b = 0; b < 15; ++b) {
                    const auto grades = ready.query_grades(q);
                    if (grades[a] != pair.upper || grades[b] != pair.lower) continue;
                    pairs += 1;
                    wrong += scores[a] < scores[b] ? 1 : scores[a] == scores[b] ? .5 : 0;
                }
            }
        }
        CHECK(pair.pairs == pairs);
        CHECK_THAT(found.systems[0].pair_errors[i], WithinRel(wrong / pairs, 1e-12));
    }
    double sum = 0;
    for (const double pairs : found.unequal_pairs) sum += pairs;
    for (const GradePair& pair : found.grade_pairs) sum -= pair.pairs;
    CHECK(sum == 0);
}

TEST_CASE("Findings: bounds are above the loss, and two rankers are shown with all weights") {
    Trained trained("coordinate");
    trained.set = random_training(braid::test::seed(),
                                  {.queries = 5, .documents = 9, .rankers = 2, .relevant = 3});
    trained.learn();
    const TrainingFindings found = trained.findings(&trained.set);
    REQUIRE(found.bounds);
    REQUIRE(found.enumerated);
    CHECK(found.bounds->queries == 5);
    CHECK_THAT(found.bounds->loss, WithinAbs(1 - found.systems[0].means[0], 1e-12));
    for (std::size_t f = 0; f < 2; ++f) CHECK(found.bounds->one[f] >= found.bounds->loss);
    CHECK_THAT(found.bounds->one[2], WithinAbs(found.bounds->loss, 1e-12));
    for (std::size_t f = 0; f < LossBounds::kForms; ++f) {
        CHECK(found.enumerated->two[f] >= found.enumerated->loss - 1e-12);
        CHECK(found.enumerated->two_all_pairs[f] >= found.enumerated->loss - 1e-12);
    }
    REQUIRE(found.two_rankers);
    const TwoRankers& two = *found.two_rankers;
    const TrainingSet ready = prepared_set(trained.set, trained.model.preparation);
    const TrainingMeasure measure(ready, "map");
    REQUIRE(two.first.size() == two.measure.size());
    CHECK(two.measure.front() == measure.mean(LinearFunction{{0, 1}}));
    CHECK(two.measure.back() == measure.mean(LinearFunction{{1, 0}}));
    CHECK(two.smooth.size() == two.first.size());
    REQUIRE(two.circle.size() == 180);
    CHECK_THAT(1 - two.circle[0].loss, WithinAbs(two.measure.back(), 1e-12));
    CHECK_THAT(1 - two.circle[45].loss, WithinAbs(two.measure.front(), 1e-12));
    // Three rankers have no plane; pools with too many orders have no type two bound.
    Trained wide("uniform");
    wide.learn();
    const TrainingFindings others = wide.findings(&wide.set);
    CHECK(!others.two_rankers);
    CHECK(!others.enumerated);
    CHECK(others.bounds);
}

TEST_CASE("Findings: adarank's bound is below its measure in every round") {
    Trained trained("adarank");
    trained.learn();
    const auto& curve = trained.model.result.curve;
    REQUIRE(!curve.empty());
    for (const CurvePoint& point : curve) {
        REQUIRE(point.bound);
        CHECK(*point.bound <= point.watched[0] + 1e-9);
    }
}

TEST_CASE("Findings: without judgements there is a map and nothing to measure") {
    Trained trained("uns-enm");
    std::fill(trained.set.grades.begin(), trained.set.grades.end(), kUnjudged);
    trained.learn();
    const TrainingFindings found = trained.findings();
    CHECK(found.systems.empty());
    CHECK(found.queries.empty());
    CHECK_FALSE(found.loss.has_value());
    CHECK(found.mapped.size() == trained.set.width() + 1);
}

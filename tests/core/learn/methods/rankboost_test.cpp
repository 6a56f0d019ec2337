// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/pair_weights.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/nonlinear_forms.h"
#include "braid/error.h"
#include "braid/tests/core/learn/losses/score_loss_checks.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Weights = std::vector<double>;

TrainingSet graded_set(std::uint64_t seed, bool with_ties = false) {
    return braid::test::random_training(
        seed,
        {.queries = 6, .documents = 20, .relevant = 8, .highest_grade = 2, .with_ties = with_ties});
}

TrainingResult fit(const std::string& learner, const TrainingSet& set,
                   const LearnerOptions& options = {}) {
    return braid::fit_learner(learner, set, options, *braid::make_executor(1));
}

// All thresholds and the exact step unless told otherwise: what the references here do.
TrainingResult boost(const TrainingSet& set, LearnerOptions options = {}) {
    options.parameters.try_emplace("thresholds", 0);
    options.choices.try_emplace("steps", "exact");
    return fit("rankboost", set, options);
}

Weights scores_of(const RankingFunction& function, const TrainingSet& set, std::size_t query) {
    Weights scores(set.pool_size(query));
    braid::score_pool(function, set, query, scores);
    return scores;
}

// All pairs of one query and unequal grades, rows, the better first.
std::vector<std::pair<std::size_t, std::size_t>> pairs(const TrainingSet& set) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            for (std::size_t j = set.query_begin[q]; j < set.query_begin[q + 1]; ++j) {
                if (set.grades[i] > set.grades[j]) result.emplace_back(i, j);
            }
        }
    }
    return result;
}

// One query: grades 1, 1, 0, 0 and one ranker 4, 2, 3, 1.
TrainingSet example() {
    return {.rankers = {"a"},
            .queries = {"1"},
            .query_begin = {0, 4},
            .scores = {4, 2, 3, 1},
            .grades = {1, 1, 0, 0}};
}

}  // namespace

TEST_CASE("rankboost: weights of pairs equal pair by pair", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    const auto executor = braid::make_executor(1);
    braid::Random random(braid::test::seed());
    PairWeights weights(set, false);
    for (const double spread : {0.0, 1.0, 4.0}) {
        const Weights scores = braid::test::random_scores(random, set.rows(), spread);
        weights.update(scores, *executor);
        std::vector<std::uint8_t> marked(set.rows());
        for (std::uint8_t& mark : marked) mark = static_cast<std::uint8_t>(random.below(2));
        double total = 0;
        Weights potentials(set.rows(), 0);
        PairWeights::Split split;
        for (const auto& [i, j] : pairs(set)) {
            const double weight = std::exp(scores[j] - scores[i]);
            total += weight;
            potentials[i] += weight;
            potentials[j] -= weight;
            if (marked[i] && !marked[j]) split.right += weight;
            if (!marked[i] && marked[j]) split.wrong += weight;
        }
        CHECK_THAT(weights.total(),
                   WithinRel(total / static_cast<double>(pairs(set).size()), 1e-11));
        for (std::size_t i = 0; i < set.rows(); ++i) {
            CHECK(weights.potentials()[i] == Approx(potentials[i] / total).margin(1e-13));
        }
        CHECK_THAT(weights.split(marked).right, WithinRel(split.right / total, 1e-11));
        CHECK_THAT(weights.split(marked).wrong, WithinRel(split.wrong / total, 1e-11));
    }
}

TEST_CASE("rankboost: raised weights equal those of raised scores", "[property]") {
    for (const bool queries_alike : {false, true}) {
        const TrainingSet set = graded_set(braid::test::seed());
        const auto executor = braid::make_executor(1);
        braid::Random random(braid::test::seed());
        PairWeights raised(set, queries_alike);
        PairWeights fresh(set, queries_alike);
        Weights scores(set.rows(), 0);
        raised.update(scores, *executor);
        for (int round = 0; round < 40; ++round) {
            const double step = 0.3 * random.normal();
            std::vector<std::uint8_t> marked(set.rows());
            for (std::size_t i = 0; i < set.rows(); ++i) {
                marked[i] = static_cast<std::uint8_t>(random.below(2));
                scores[i] += marked[i] * step;
            }
            raised.raise(marked, step, *executor);
            fresh.update(scores, *executor);
            REQUIRE_THAT(raised.total(), WithinRel(fresh.total(), 1e-12));
            for (std::size_t i = 0; i < set.rows(); ++i) {
                REQUIRE(raised.potentials()[i] == Approx(fresh.potentials()[i]).margin(1e-13));
            }
            REQUIRE_THAT(raised.split(marked).right, WithinRel(fresh.split(marked).right, 1e-11));
        }
    }
}

TEST_CASE("rankboost: thresholds between scores, and evenly spaced ones") {
    const TrainingSet set{.rankers = {"a", "b"},
                          .queries = {"1"},
                          .query_begin = {0, 5},
                          .scores = {0, 3, 0, -1, 0, 3, 0, 9, 0, 0},
                          .grades = {1, 0, 0, 0, 0}};
    const braid::ThresholdColumn all(set, 1, 0);  // 9 | 3 3 | 0 | -1, equal scores by row.
    CHECK(all.rows() == std::vector<std::uint32_t>{7, 0, 5, 9, 2});
    CHECK(all.row(2) == 2);
    CHECK(all.threshold(1) == 6);
    CHECK(all.threshold(3) == 1.5);
    CHECK(all.threshold(4) == -0.5);
    const braid::ThresholdColumn three(set, 1, 3);  // At 6.5, 4 and 1.5: the first two part alike.
    CHECK(three.rows() == std::vector<std::uint32_t>{7, 0, 5, 8, 2});
    CHECK(three.threshold(1) == 6.5);
    CHECK(three.threshold(3) == 1.5);
    CHECK(braid::ThresholdColumn(set, 0, 0).rows() == std::vector<std::uint32_t>{0, 2, 4, 6, 8});
    // Nothing between neighbours: the lower one.
    TrainingSet close = set;
    close.scores[7] = 1;
    close.scores[1] = close.scores[5] = std::nextafter(1.0, 2.0);
    CHECK(braid::ThresholdColumn(close, 1, 0).threshold(2) == 1);
}

TEST_CASE("rankboost: a step by hand") {
    // Above 3.5: (4) before both 0s, 2 of 4 pairs right, none wrong: an edge of 1/2. Above 2.5:
    // right (4, 1), wrong (2, 3): 0. Above 1.5: right (4, 1), (2, 1): 1/2. The highest of equals is
    // taken.
    const TrainingSet set = example();
    const TrainingResult result =
        boost(set, {.parameters = {{"rounds", 1}}, .choices = {{"steps", "edge"}}});
    const auto function = std::get<StepFunction>(result.function);
    CHECK(function.rankers == std::vector<std::size_t>{0});
    CHECK(function.thresholds == Weights{3.5});
    CHECK(function.rises == Weights{1});
    // 1/2 ln 3: two pairs weigh 3^-1/2.
    CHECK_THAT(result.objective, WithinRel((2 / std::sqrt(3.0) + 2) / 4, 1e-12));
    CHECK(scores_of(function, set, 0) == Weights{1, 0, 0, 0});
    // The best step has no end, so it is cut.
    const TrainingResult exact = boost(set, {.parameters = {{"rounds", 1}, {"longest-step", 2}}});
    CHECK_THAT(exact.objective, WithinRel((2 * std::exp(-2.0) + 2) / 4, 1e-12));
}

TEST_CASE("rankboost: the loss is that of pairs, and falls every round", "[property]") {
    for (const bool with_ties : {false, true}) {
        const TrainingSet set = graded_set(braid::test::seed(), with_ties);
        for (const std::string steps : {"exact", "edge"}) {
            const TrainingResult result =
                boost(set, {.parameters = {{"rounds", 30}}, .choices = {{"steps", steps}}});
            CHECK(result.curve[0].objective == Approx(1).epsilon(1e-12));
            for (std::size_t i = 1; i < result.curve.size(); ++i) {
                CHECK(result.curve[i].objective < result.curve[i - 1].objective);
            }
            double sum = 0;
            for (const double rise : std::get<StepFunction>(result.function).rises) {
                sum += std::abs(rise);
            }
            CHECK(sum == Approx(1).epsilon(1e-12));
        }
        const auto after_one = [&](const std::string& steps) {
            return boost(set, {.parameters = {{"rounds", 1}}, .choices = {{"steps", steps}}})
                .objective;
        };
        CHECK(after_one("exact") <= after_one("edge") + 1e-12);
    }
}

TEST_CASE("rankboost: the first threshold is the best of all", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed(), true);
    double best = 0;
    const auto all = pairs(set);
    for (std::size_t k = 0; k < set.width(); ++k) {
        for (int level = -1; level < 8; ++level) {
            const double threshold = level / 4.0 + 0.125;
            double edge = 0;
            for (const auto& [i, j] : all) {
                edge += (set.row(i)[k] > threshold ? 1 : 0) - (set.row(j)[k] > threshold ? 1 : 0);
            }
            best = std::max(best, std::abs(edge) / static_cast<double>(all.size()));
        }
    }
    const LearnerOptions one{.parameters = {{"rounds", 1}}, .choices = {{"steps", "edge"}}};
    const auto function = std::get<StepFunction>(boost(set, one).function);
    double edge = 0;
    for (const auto& [i, j] : all) {
        edge += (set.row(i)[function.rankers[0]] > function.thresholds[0] ? 1 : 0) -
                (set.row(j)[function.rankers[0]] > function.thresholds[0] ? 1 : 0);
    }
    CHECK_THAT(std::abs(edge) / static_cast<double>(all.size()), WithinRel(best, 1e-12));
}

TEST_CASE("rankboost: only the order of a ranker's scores matters", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed());
    TrainingSet bent = set;
    for (std::size_t i = 0; i < set.scores.size(); i += 2) {
        bent.scores[i] = std::exp(3 * set.scores[i]);
    }
    const LearnerOptions options{.parameters = {{"rounds", 40}}};
    const TrainingResult one = boost(set, options);
    const TrainingResult other = boost(bent, options);
    CHECK(one.curve == other.curve);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        CHECK(scores_of(one.function, set, q) == scores_of(other.function, bent, q));
    }
    CHECK(boost(set, {.choices = {{"costs", "queries"}}}).objective > 0);
}

TEST_CASE("rankboost: ends where every pair is right beyond doubt") {
    TrainingSet set;
    set.rankers = {"only"};
    set.queries = {"1"};
    set.query_begin = {0, 4};
    set.scores = {4, 3, 2, 1};
    set.grades = {1, 1, 0, 0};
    const TrainingResult result = boost(set);
    CHECK_THAT(result.stop_reason, Contains("right"));
    const auto& steps = std::get<StepFunction>(result.function);
    REQUIRE(steps.rises.size() == 1);
    CHECK(steps.rises[0] == 1);
    CHECK(steps.thresholds[0] == 2.5);
}

TEST_CASE("rankboost: evenly spaced thresholds") {
    const TrainingSet set = graded_set(braid::test::seed());
    const TrainingResult result = boost(set, {.parameters = {{"rounds", 50}, {"thresholds", 3}}});
    const auto function = std::get<StepFunction>(result.function);
    CHECK(function.rankers.size() <= 12);
    for (std::size_t i = 0; i < function.rankers.size(); ++i) {
        double least = 1e9;
        double greatest = -1e9;
        for (std::size_t row = 0; row < set.rows(); ++row) {
            least = std::min(least, set.row(row)[function.rankers[i]]);
            greatest = std::max(greatest, set.row(row)[function.rankers[i]]);
        }
        const double share = (function.thresholds[i] - least) / (greatest - least) * 4;
        CHECK(share == Approx(std::round(share)).epsilon(1e-9));
        CHECK(std::round(share) >= 1);
        CHECK(std::round(share) <= 3);
    }
    // With as many as there are places the one of the largest edge (3) is among them, or close.
    const auto edge = [&](double thresholds) {
        const LearnerOptions one{.parameters = {{"rounds", 1}, {"thresholds", thresholds}}};
        const auto step = std::get<StepFunction>(boost(set, one).function);
        double sum = 0;
        for (const auto& [i, j] : pairs(set)) {
            const double threshold = step.thresholds.at(0);
            sum += (set.row(i)[step.rankers[0]] > threshold ? 1 : 0) -
                   (set.row(j)[step.rankers[0]] > threshold ? 1 : 0);
        }
        return std::abs(sum) / static_cast<double>(pairs(set).size());
    };
    CHECK(edge(1e5) == Approx(edge(0)).epsilon(1e-12));
    CHECK(edge(2) <= edge(0) + 1e-12);
}

TEST_CASE("step function: scores equal a sum over steps", "[property]") {
    const TrainingSet set = graded_set(braid::test::seed(), true);
    braid::Random random(braid::test::seed());
    StepFunction rough{4, {}, {}, {}};
    for (int i = 0; i < 30; ++i) {
        rough.rankers.push_back(random.below(4));
        rough.thresholds.push_back(std::floor(random.uniform() * 6) / 4);
        rough.rises.push_back(random.normal());
    }
    const StepFunction function = braid::tidy(rough);
    CHECK(function.rankers.size() < 30);
    CHECK(std::is_sorted(function.rankers.begin(), function.rankers.end()));
    CHECK(braid::tidy(function).rankers == function.rankers);
    CHECK(braid::tidy(function).thresholds == function.thresholds);
    double all = 0;
    for (const double rise : function.rises) all += std::abs(rise);
    CHECK_THAT(all, WithinRel(1.0, 1e-12));
    double scale = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Weights scores = scores_of(function, set, q);
        for (std::size_t d = 0; d < scores.size(); ++d) {
            const auto x = set.row(set.query_begin[q] + d);
            double expected = 0;
            double unscaled = 0;
            for (std::size_t i = 0; i < function.rankers.size(); ++i) {
                if (x[function.rankers[i]] > function.thresholds[i]) expected += function.rises[i];
            }
            for (std::size_t i = 0; i < 30; ++i) {
                if (x[rough.rankers[i]] > rough.thresholds[i]) unscaled += rough.rises[i];
            }
            CHECK(scores[d] == Approx(expected).margin(1e-14));
            if (scale == 0 && std::abs(unscaled) > 0.1) scale = expected / unscaled;
            if (scale != 0) CHECK(expected == Approx(scale * unscaled).margin(1e-12));
        }
    }
    CHECK_THROWS_WITH(scores_of(StepFunction{3, {}, {}, {}}, set, 0), Contains("3 rankers for 4"));
}

TEST_CASE("step function: what is known before documents are scored", "[property]") {
    // Ranker 0 rises by .3 and .2, 1 falls by .1, 2 rises by .2 and falls by .3, 3 has no step.
    const StepFunction function{4, {0, 0, 1, 2, 2}, {1, 2, 5, 0, 4}, {0.3, 0.2, -0.1, 0.2, -0.3}};
    const braid::StepBounds bounds = braid::step_bounds(function);
    CHECK(bounds.rising == 1);
    CHECK(bounds.falling == 1);
    CHECK(bounds.mixed == 1);
    CHECK(bounds.least == Approx(-0.2));
    CHECK(bounds.most == Approx(0.7));
    CHECK(braid::in_words(bounds) == "1 ranker rises, 1 falls, 1 does both; from -0.2 to 0.7");
    CHECK(braid::in_words(braid::step_bounds({4, {}, {}, {}})) == "no steps");
    CHECK(braid::step_bound(function, Weights{1.5, 9, 9, 9}) == Approx(0.5));
    CHECK(braid::step_bound(function, Weights{1, 9, 0, 9}) == 0);
    CHECK_THROWS_AS(braid::step_bound(function, Weights{1}), braid::InvalidArgument);
    // No document is above the bound of its own scores, nor of greater ones.
    const TrainingSet set = graded_set(braid::test::seed(), true);
    const auto learned = std::get<StepFunction>(boost(set).function);
    const braid::StepBounds known = braid::step_bounds(learned);
    CHECK(known.rising + known.falling + known.mixed <= 4);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const Weights scores = scores_of(learned, set, q);
        for (std::size_t d = 0; d < scores.size(); ++d) {
            const auto row = set.row(set.query_begin[q] + d);
            Weights above(row.begin(), row.end());
            CHECK(scores[d] <= braid::step_bound(learned, above) + 1e-15);
            for (double& score : above) score += 0.3;
            CHECK(scores[d] <= braid::step_bound(learned, above) + 1e-15);
            CHECK(scores[d] <= known.most + 1e-15);
            CHECK(scores[d] >= known.least - 1e-15);
        }
    }
}

TEST_CASE("borda function: points by hand") {
    const TrainingSet set{.rankers = {"a", "b"},
                          .queries = {"1"},
                          .query_begin = {0, 4},
                          .scores = {3, 0, 2, 1, 2, 5, 1, 1},
                          .grades = {1, 0, 0, 0}};
    // By a: 3, 1.5, 1.5, 0; by b: 0, 1.5, 3, 1.5; by a - b (3, 1, -3, 0): 3, 2, 0, 1.
    const BordaFunction function{{{1, 0}, {0, 1}, {1, -1}}};
    CHECK(scores_of(function, set, 0) == Weights{6, 5, 4.5, 2.5});
    CHECK_THROWS_AS(scores_of(BordaFunction{{{1}}}, set, 0), braid::InvalidArgument);
}

TEST_CASE("mhr-bc: a hyperplane for every two grades") {
    const TrainingSet set = graded_set(braid::test::seed());
    const TrainingResult result = fit("mhr-bc", set);
    CHECK(std::get<BordaFunction>(result.function).functions.size() == 3);
    CHECK(result.stop_reason == "converged");
    REQUIRE(result.bound);
    CHECK(*result.bound <= result.objective);
    CHECK(*result.bound >= result.objective * (1 - 1e-3));
    const braid::TrainingMeasure measure(set, "ndcg");
    CHECK(measure.mean(result.function) > measure.mean(LinearFunction{Weights(4, 0.25)}));
    // With two grades it is ranksvm.
    TrainingSet binary = set;
    for (braid::Grade& grade : binary.grades) grade = std::min(grade, 1);
    const LearnerOptions exact{.parameters = {{"tolerance", 1e-9}}};
    const auto voted = std::get<BordaFunction>(fit("mhr-bc", binary, exact).function);
    REQUIRE(voted.functions.size() == 1);
    const Weights expected =
        std::get<LinearFunction>(fit("ranksvm", binary, exact).function).weights;
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(voted.functions[0][k] == Approx(expected[k]).margin(1e-6));
    }
    CHECK(fit("mhr-bc", set, {.choices = {{"loss", "hinge"}}}).function != result.function);
    CHECK(fit("mhr-bc", set, {.choices = {{"weights", "non-negative"}}}).stop_reason ==
          "converged");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "braid/core/learn/losses/smooth_sums.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using Aim = SmoothOptions::Aim;
using Weights = std::vector<double>;

// Problem (3) of docs/algorithms/smooth-measures.md as it is written, with derivatives as (36) to
// (38) of the paper, corrected; binary grades, in long double.
struct NaiveQuery {
    const TrainingSet& set;
    std::size_t query;
    double beta;
    double window;

    long double score(const Weights& weights, std::size_t d) const {
        long double sum = 0;
        const std::span<const double> row = set.row(set.query_begin[query] + d);
        for (std::size_t k = 0; k < row.size(); ++k) sum += (long double)weights[k] * row[k];
        return sum;
    }

    void add(const Weights& weights, SmoothPoint& point) const {
        const std::size_t n = set.pool_size(query);
        const std::size_t width = set.width();
        std::vector<std::size_t> relevant;
        for (std::size_t d = 0; d < n; ++d) {
            if (set.query_grades(query)[d] > 0) relevant.push_back(d);
        }
        std::stable_sort(relevant.begin(), relevant.end(), [&](std::size_t a, std::size_t b) {
            return score(weights, a) > score(weights, b);
        });
        for (std::size_t j = 0; j < relevant.size(); ++j) {
            long double position = 1;
            std::vector<long double> first(width);
            std::vector<long double> second(width * width);
            for (std::size_t d = 0; d < n; ++d) {
                if (d == relevant[j]) continue;
                const long double difference = score(weights, relevant[j]) - score(weights, d);
                const long double g = 1 / (1 + std::exp(beta * difference));
                // Not 1 - g, which is 0 where g is nearly 1.
                const long double other = 1 / (1 + std::exp(-beta * difference));
                position += g;
                if (window > 0 && std::abs(beta * difference) > window) continue;
                for (std::size_t k = 0; k < width; ++k) {
                    const long double sk = gap(relevant[j], d, k);
                    first[k] -= beta * sk * g * other;
                    for (std::size_t l = 0; l < width; ++l) {
                        second[k * width + l] += (long double)beta * beta * sk *
                                                 gap(relevant[j], d, l) * g * other * (1 - 2 * g);
                    }
                }
            }
            const long double share = (j + 1) / (long double)relevant.size();
            point.value += (double)(share / position);
            for (std::size_t k = 0; k < width; ++k) {
                point.gradient[k] -= (double)(share * first[k] / (position * position));
                for (std::size_t l = 0; l < width; ++l) {
                    point.hessian[k * width + l] +=
                        (double)(share *
                                 (2 * first[k] * first[l] / position - second[k * width + l]) /
                                 (position * position));
                }
            }
        }
    }

    long double gap(std::size_t a, std::size_t b, std::size_t k) const {
        const std::size_t begin = set.query_begin[query];
        return (long double)set.row(begin + a)[k] - set.row(begin + b)[k];
    }
};

SmoothPoint naive(const TrainingSet& set, const Weights& weights, double beta, double window = 0) {
    SmoothPoint point{0, Weights(set.width()), Weights(set.width() * set.width())};
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        NaiveQuery{set, q, beta, window}.add(weights, point);
    }
    const auto count = static_cast<double>(set.queries.size());
    point.value /= count;
    for (double& value : point.gradient) value /= count;
    for (double& value : point.hessian) value /= count;
    return point;
}

double largest(const Weights& values) {
    double result = 0;
    for (const double value : values) result = std::max(result, std::abs(value));
    return result;
}

void check_near(const Weights& got, const Weights& expected, double tolerance, double beyond = 0) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(std::abs(got[i] - expected[i]) <= tolerance * largest(expected) + beyond);
    }
}

Weights random_weights(braid::Random& random, std::size_t count) {
    Weights result(count);
    for (double& weight : result) weight = random.uniform();
    return result;
}

double smallest_gap(const std::vector<double>& scores) {
    std::vector<double> sorted = scores;
    std::sort(sorted.begin(), sorted.end());
    double result = 1e300;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        result = std::min(result, sorted[i] - sorted[i - 1]);
    }
    return result;
}

// Thirty sets of 4 queries with 20 documents, 3 of them relevant, and weights for each.
template <typename Check>
void for_random_sets(const Check& check) {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 30; ++round) {
        const TrainingSet set = braid::test::random_training(
            random.bits(), {.queries = 4, .documents = 20, .relevant = 3});
        const Weights weights = random_weights(random, 4);
        check(random, set, weights);
    }
}

}  // namespace

TEST_CASE("smooth measure: equals the formulas to 1e-12", "[property]") {
    braid::Random random(braid::test::seed());
    const auto executor = braid::make_executor(1);
    for (const bool ties : {false, true}) {
        const TrainingSet set = braid::test::random_training(
            random.bits(), {.queries = 3, .documents = 120, .relevant = 30, .with_ties = ties});
        for (const double beta : {0.5, 5.0, 40.0, 200.0, 3000.0}) {
            const Weights weights = random_weights(random, 4);
            const SmoothPoint expected = naive(set, weights, beta);
            INFO("ties " << ties << " beta " << beta);
            const SmoothMeasure measure(set, {.beta = beta});
            const SmoothPoint got = measure.with_hessian(weights, *executor);
            CHECK(std::abs(got.value - expected.value) <= 1e-12);
            check_near(got.gradient, expected.gradient, 2e-12);
            check_near(got.hessian, expected.hessian, 5e-12);
            CHECK(measure.value(weights, *executor) == got.value);
            check_near(measure.with_gradient(weights, *executor).gradient, got.gradient, 1e-13);
        }
    }
}

TEST_CASE("smooth measure: documents that crowd in one place or are far away") {
    TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 2, .documents = 300, .rankers = 2, .relevant = 60});
    for (std::size_t i = 0; i < set.rows(); ++i) {
        if (i % 3 == 0) set.scores[2 * i] = 0.5;
        if (i % 3 == 0) set.scores[2 * i + 1] = 0.5;
        if (i % 7 == 0) set.scores[2 * i] *= 1e-6;
        if (i % 50 == 49) set.scores[2 * i] = i % 100 == 99 ? 1e7 : -1e7;
    }
    const Weights weights = {0.4, 0.6};
    const SmoothPoint expected = naive(set, weights, 100);
    const auto executor = braid::make_executor(1);
    const SmoothPoint got = SmoothMeasure(set, {.beta = 100}).with_hessian(weights, *executor);
    CHECK(std::abs(got.value - expected.value) <= 1e-12);
    check_near(got.gradient, expected.gradient, 1e-10);
}

// Scores times beta then have rounding errors of their own, up to 1e-9.
TEST_CASE("smooth measure: targets that are far apart") {
    braid::Random random(braid::test::seed());
    const TrainingSet set = braid::test::random_training(
        random.bits(), {.queries = 4, .documents = 200, .relevant = 21});
    const Weights weights = random_weights(random, 4);
    const auto executor = braid::make_executor(1);
    for (const double beta : {150.0, 250.0, 1e4, 2e5, 4e6}) {
        INFO("beta " << beta);
        const SmoothPoint expected = naive(set, weights, beta);
        const SmoothMeasure measure(set, {.beta = beta});
        const SmoothPoint got = measure.with_hessian(weights, *executor);
        CHECK(std::abs(got.value - expected.value) <= 1e-9);
        // Pairs beyond the reach have no derivative; with a large beta there may be no others.
        const double beyond = beta * std::exp(-40);
        check_near(got.gradient, expected.gradient, 1e-8, beyond);
        check_near(got.hessian, expected.hessian, 1e-8, beta * beyond);
        CHECK(measure.value(weights, *executor) == got.value);
    }
}

TEST_CASE("smooth measure: restricted to some queries it is the mean over them") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 5});
    const auto executor = braid::make_executor(1);
    const Weights weights(4, 0.25);
    SmoothMeasure some(set, {});
    some.restrict_to({1, 4});
    const double second = some.of_query(1, weights).value;
    const double fifth = some.of_query(4, weights).value;
    CHECK(some.value(weights, *executor) == Approx((second + fifth) / 2));
}

TEST_CASE("smooth measure: a window leaves values and drops derivatives of far pairs") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 3});
    const Weights weights = {0.2, 0.3, 0.4, 0.1};
    const auto executor = braid::make_executor(1);
    const SmoothPoint whole = SmoothMeasure(set, {}).with_hessian(weights, *executor);
    for (const double window : {0.5, 2.0, 12.0}) {
        const SmoothPoint expected = naive(set, weights, 200, window);
        const SmoothPoint got =
            SmoothMeasure(set, {.window = window}).with_hessian(weights, *executor);
        CHECK(std::abs(got.value - whole.value) <= 1e-13);
        check_near(got.gradient, expected.gradient, 1e-11);
        check_near(got.hessian, expected.hessian, 1e-11);
    }
}

TEST_CASE("smooth measure: derivatives are those of the value", "[property]") {
    braid::Random random(braid::test::seed());
    const auto executor = braid::make_executor(1);
    const double step = 1e-5;
    for (const Aim aim : {Aim::kMap, Aim::kGradedMap, Aim::kNdcg}) {
        for (int round = 0; round < 5; ++round) {
            const TrainingSet set = braid::test::random_training(
                random.bits(), {.queries = 2, .documents = 30, .relevant = 4, .highest_grade = 3});
            const SmoothMeasure measure(set, {.aim = aim, .beta = 15});
            Weights weights = random_weights(random, 4);
            const SmoothPoint point = measure.with_hessian(weights, *executor);
            for (std::size_t k = 0; k < 4; ++k) {
                const double at = weights[k];
                weights[k] = at + step;
                const SmoothPoint after = measure.with_gradient(weights, *executor);
                weights[k] = at - step;
                const SmoothPoint before = measure.with_gradient(weights, *executor);
                weights[k] = at;
                // Where two relevant documents swap in between, the value has a kink.
                if (std::abs(after.value + before.value - 2 * point.value) > 1e-6) continue;
                CHECK((after.value - before.value) / (2 * step) ==
                      Approx(point.gradient[k]).epsilon(1e-5).margin(1e-7));
                for (std::size_t l = 0; l < 4; ++l) {
                    CHECK((after.gradient[l] - before.gradient[l]) / (2 * step) ==
                          Approx(point.hessian[l * 4 + k]).epsilon(1e-4).margin(1e-4));
                }
            }
        }
    }
}

TEST_CASE("smooth measure: within the bounds of the theorems", "[property]") {
    const auto executor = braid::make_executor(1);
    for_random_sets([&](braid::Random& random, const TrainingSet& set, const Weights& weights) {
        const double beta = std::pow(10, 1 + 2 * random.uniform());
        const SmoothMeasure smooth(set, {.beta = beta});
        const braid::TrainingMeasure exact(set, "map");
        double gap = 1e300;
        for (std::size_t q = 0; q < 4; ++q) {
            std::vector<double> scores(20);
            braid::weighted_sums(set.query_scores(q), weights, scores);
            const double own = smallest_gap(scores);
            gap = std::min(gap, own);
            const std::vector<double> positions = smooth.positions(q, weights);
            for (std::size_t j = 0; j < 3; ++j) {
                double position = 1;
                for (const double score : scores) position += score > scores[j] ? 1 : 0;
                CHECK(std::abs(positions[j] - position) <= 19 / (1 + std::exp(beta * own)) + 1e-12);
            }
        }
        const double bound = 19 * (4 + 12) / (2 * 4 * (1 + std::exp(beta * gap)));
        CHECK(std::abs(smooth.value(weights, *executor) -
                       exact.mean(braid::LinearFunction{weights})) <= bound + 1e-12);
    });
}

// Theorem 3 of the paper: weights that don't sum to 1 (P4) have nearly the value of those scaled to
// sum 1 (P3), within the errors of both positions.
TEST_CASE("smooth measure: the scale of the weights matters as little as theorem 3 says",
          "[property]") {
    const auto executor = braid::make_executor(1);
    for_random_sets([&](braid::Random& random, const TrainingSet& set, const Weights& weights) {
        Weights scaled = weights;
        braid::scale_to_sum_one(scaled);
        const SmoothMeasure smooth(set, {.beta = std::pow(10, 1 + 2 * random.uniform())});
        double own_error = 0;
        double scaled_error = 0;
        for (std::size_t q = 0; q < 4; ++q) {
            std::vector<double> scores(20);
            braid::weighted_sums(set.query_scores(q), weights, scores);
            const std::vector<double> own = smooth.positions(q, weights);
            const std::vector<double> other = smooth.positions(q, scaled);
            for (std::size_t j = 0; j < 3; ++j) {
                double position = 1;
                for (const double score : scores) position += score > scores[j] ? 1 : 0;
                own_error = std::max(own_error, std::abs(own[j] - position));
                scaled_error = std::max(scaled_error, std::abs(other[j] - position));
            }
        }
        const double bound = (own_error + scaled_error) * (4 + 12) / (2 * 4);
        CHECK(std::abs(smooth.value(weights, *executor) - smooth.value(scaled, *executor)) <=
              bound + 1e-12);
    });
}

TEST_CASE("smooth measure: sharp enough, it is the measure") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 5, .relevant = 6, .highest_grade = 3});
    const Weights weights = {0.2, 0.3, 0.4, 0.1};
    const braid::LinearFunction function{weights};
    const auto executor = braid::make_executor(1);
    const auto sharp = [&](Aim aim, braid::Grade from) {
        return SmoothMeasure(set, {.aim = aim, .beta = 1e7}, {.relevant_from = from})
            .value(weights, *executor);
    };
    const auto exact = [&](const std::string& name, braid::Grade from) {
        return braid::TrainingMeasure(set, name, {.relevant_from = from}).mean(function);
    };
    CHECK(sharp(Aim::kMap, 1) == Approx(exact("map", 1)).epsilon(1e-9));
    CHECK(sharp(Aim::kMap, 2) == Approx(exact("map", 2)).epsilon(1e-9));
    CHECK(sharp(Aim::kNdcg, 1) == Approx(exact("ndcg", 1)).epsilon(1e-9));
    TrainingSet binary = set;
    for (braid::Grade& grade : binary.grades) grade = std::min(grade, 1);
    CHECK(SmoothMeasure(binary, {.aim = Aim::kGradedMap}).value(weights, *executor) ==
          SmoothMeasure(binary, {.aim = Aim::kMap}).value(weights, *executor));
}

TEST_CASE("smooth measure: graded map is the mean over what counts as relevant") {
    TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 1, .relevant = 4, .highest_grade = 1});
    set.grades[1] = 3;
    set.grades[2] = 3;
    const Weights weights = {0.2, 0.3, 0.4, 0.1};
    const auto executor = braid::make_executor(1);
    const double ones = SmoothMeasure(set, {}).value(weights, *executor);
    const double threes = SmoothMeasure(set, {}, {.relevant_from = 3}).value(weights, *executor);
    CHECK(SmoothMeasure(set, {.aim = Aim::kGradedMap}).value(weights, *executor) ==
          Approx((ones + threes) / 2).epsilon(1e-12));
}

TEST_CASE("smooth measure: documents outside the pool count as missed") {
    TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 1});
    const Weights weights = {0.2, 0.3, 0.4, 0.1};
    const auto executor = braid::make_executor(1);
    const double before = SmoothMeasure(set, {}).value(weights, *executor);
    set.unpooled = {{1, 1, 1, 1, 1, 0}};
    CHECK(SmoothMeasure(set, {}).value(weights, *executor) == Approx(before / 2).epsilon(1e-12));
}

TEST_CASE("smooth measure: the same bits at any number of threads") {
    const TrainingSet set =
        braid::test::random_training(braid::test::seed(), {.queries = 70, .relevant = 9});
    const SmoothMeasure measure(set, {});
    const Weights weights = {0.2, 0.3, 0.4, 0.1};
    const SmoothPoint one = measure.with_hessian(weights, *braid::make_executor(1));
    const SmoothPoint four = measure.with_hessian(weights, *braid::make_executor(4));
    CHECK(one.value == four.value);
    CHECK(one.gradient == four.gradient);
    CHECK(one.hessian == four.hessian);
}

TEST_CASE("smooth measure: options out of range") {
    const TrainingSet set = braid::test::random_training(braid::test::seed(), {.queries = 1});
    CHECK_THROWS_AS(SmoothMeasure(set, {.beta = 0}), braid::InvalidArgument);
    CHECK_THROWS_AS(SmoothMeasure(set, {.window = -1}), braid::InvalidArgument);
}

TEST_CASE("smooth sums: the same bits from every instruction set") {
    braid::Random random(braid::test::seed());
    std::vector<double> z(101);
    std::vector<double> rows(3 * z.size());
    const double spread = GENERATE(60.0, 2000.0);
    for (double& value : z) value = spread * random.uniform();
    for (double& value : rows) value = random.uniform();
    const std::vector<std::uint32_t> targets = {3, 50, 99};
    const std::vector<double> factors = {0.3, -0.2, 0.7};
    for (const double window : {0.0, 2.0}) {
        const braid::SmoothPool pool = {z, rows, 3, targets, window};
        const auto run = [&](braid::InstructionLevel level) {
            braid::SmoothPairs method(level);
            braid::TargetSums sums;
            method.gather(pool, braid::SmoothOrder::kHessian, sums);
            std::vector<double> slopes(z.size());
            std::vector<double> curvatures(z.size());
            method.spread(pool, braid::SmoothOrder::kHessian, factors, slopes, curvatures);
            for (const auto* part : {&sums.position, &sums.slope, &sums.curvature, &sums.slope_rows,
                                     &sums.curvature_rows, &curvatures}) {
                slopes.insert(slopes.end(), part->begin(), part->end());
            }
            return slopes;
        };
        CHECK(run(braid::InstructionLevel::kPlain) == run(braid::best_instruction_level()));
    }
}

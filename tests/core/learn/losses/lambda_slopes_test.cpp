// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/lambda_slopes.h"

#include <cmath>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

const std::vector<std::string> kMeasures = {
    "map",          "map@7", "ndcg",      "ndcg@5", "ndcg-exp@10", "ndcg-letor@10",
    "ndcg-letor",   "p@5",   "rprec",     "recall", "err",         "recall@8",
    "recall-min@3", "mrr",   "success@4", "wta",    "bpref",       "err@6"};

TrainingSet graded_set(std::uint64_t seed) {
    TrainingSet set =
        random_training(seed, {.queries = 4, .documents = 14, .relevant = 6, .highest_grade = 3});
    // Unjudged documents, and judged ones that no pool has.
    for (std::size_t i = 9; i < set.rows(); i += 7) set.grades[i] = kUnjudged;
    set.unpooled = {{1}, {}, {0, 2}, {}};
    return set;
}

double value_of(const TrainingMeasure& measure, std::size_t query,
                const std::vector<Grade>& ranked) {
    return measure.measure().evaluate({ranked, measure.pool(query)}, measure.scale(query));
}

}  // namespace

TEST_CASE("Lambda slopes: a swap changes the measure by what its formula says", "[property]") {
    const TrainingSet set = graded_set(seed());
    for (const std::string& name : kMeasures) {
        INFO(name);
        const TrainingMeasure measure(set, name);
        for (const std::size_t q : measure.queries()) {
            Random random(seed(), q);
            const auto grades = set.query_grades(q);
            std::vector<Grade> ranked(grades.begin(), grades.end());
            random.shuffle(ranked);
            const double before = value_of(measure, q, ranked);
            for (std::size_t a = 0; a < ranked.size(); ++a) {
                for (std::size_t b = a + 1; b < ranked.size(); ++b) {
                    std::vector<Grade> swapped = ranked;
                    std::swap(swapped[a], swapped[b]);
                    const double expected = value_of(measure, q, swapped) - before;
                    REQUIRE(swap_gain(measure, q, ranked, a, b) == Approx(expected).margin(1e-12));
                }
            }
        }
    }
}

TEST_CASE("Lambda slopes: sums over all pairs", "[property]") {
    const TrainingSet set = graded_set(seed());
    for (const std::string& name : kMeasures) {
        for (const bool even : {false, true}) {
            INFO(name);
            const TrainingMeasure measure(set, name);
            const LambdaSlopes slopes_of(measure, {.even = even});
            for (const std::size_t q : measure.queries()) {
                Random random(seed(), 7 + q);
                const std::size_t size = set.pool_size(q);
                Values sums;
                for (std::size_t d = 0; d < size; ++d) sums.push_back(random.normal());
                std::vector<std::size_t> order(size);
                for (std::size_t d = 0; d < size; ++d) order[d] = d;
                std::sort(order.begin(), order.end(),
                          [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
                std::vector<Grade> ranked;
                for (const std::size_t d : order) ranked.push_back(set.query_grades(q)[d]);
                std::vector<RowSlope> expected(size);
                double all = 0;
                // The gains of each document's pairs: each counts by a share that is within
                // 3e-6, which the factor has from all of them.
                Values gains(size);
                double all_gains = 0;
                for (std::size_t a = 0; a < size; ++a) {
                    for (std::size_t b = a + 1; b < size; ++b) {
                        if (learning_grade(ranked[a]) == learning_grade(ranked[b])) continue;
                        const bool is_right = ranked[a] > ranked[b];
                        const std::size_t good = order[is_right ? a : b];
                        const std::size_t bad = order[is_right ? b : a];
                        const double size_of_gain = std::abs(swap_gain(measure, q, ranked, a, b));
                        const double wrong = 1 / (1 + std::exp(sums[good] - sums[bad]));
                        all += size_of_gain * wrong;
                        all_gains += size_of_gain;
                        gains[good] += size_of_gain;
                        gains[bad] += size_of_gain;
                        expected[good].gradient -= size_of_gain * wrong;
                        expected[bad].gradient += size_of_gain * wrong;
                        expected[good].curvature += size_of_gain * wrong * (1 - wrong);
                        expected[bad].curvature += size_of_gain * wrong * (1 - wrong);
                    }
                }
                const double factor = even && all > 0 ? std::log2(1 + all) / all : 1;
                std::vector<RowSlope> got(size);
                const double value = slopes_of.of_query(q, sums, got);
                CHECK(value == Approx(value_of(measure, q, ranked)).epsilon(1e-12));
                const auto near = [&](double sum, std::size_t d) {
                    const double of_factor = all > 0 ? std::abs(sum) * all_gains / all : 0;
                    return Approx(factor * sum)
                        .epsilon(1e-12)
                        .margin(3e-6 * factor * (gains[d] + of_factor) + 1e-15);
                };
                for (std::size_t d = 0; d < size; ++d) {
                    REQUIRE(got[d].gradient == near(expected[d].gradient, d));
                    REQUIRE(got[d].curvature == near(expected[d].curvature, d));
                }
            }
        }
    }
}

// With D held fixed the gradient is that of sum |D| log(1 + e^(s_j - s_i)).
TEST_CASE("Lambda slopes: a slope is a finite difference of the loss of pairs", "[property]") {
    const TrainingSet set = random_training(seed(), {.queries = 1, .documents = 9, .relevant = 3});
    const TrainingMeasure measure(set, "map");
    const LambdaSlopes slopes_of(measure, {.even = false});
    Values sums;
    std::vector<Grade> ranked;
    for (std::size_t d = 0; d < 9; ++d) {
        sums.push_back(-0.3 * static_cast<double>(d));
        ranked.push_back(set.grades[(d * 4) % 9]);
    }
    TrainingSet in_order = set;
    in_order.grades.assign(ranked.begin(), ranked.end());
    const TrainingMeasure ordered(in_order, "map");
    const LambdaSlopes of_ordered(ordered, {.even = false});
    const auto loss = [&](const Values& at) {
        double sum = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            for (std::size_t j = 0; j < 9; ++j) {
                if (ranked[i] <= ranked[j]) continue;
                sum += std::abs(swap_gain(ordered, 0, ranked, i, j)) *
                       std::log1p(std::exp(at[j] - at[i]));
            }
        }
        return sum;
    };
    std::vector<RowSlope> slopes(9);
    of_ordered.of_query(0, sums, slopes);
    for (std::size_t d = 0; d < 9; ++d) {
        const double h = 1e-4;
        Values up = sums;
        Values down = sums;
        up[d] += h;
        down[d] -= h;
        CHECK(slopes[d].gradient == Approx((loss(up) - loss(down)) / (2 * h)).margin(1e-5));
        CHECK(slopes[d].curvature ==
              Approx((loss(up) - 2 * loss(sums) + loss(down)) / (h * h)).margin(2e-4));
    }
}

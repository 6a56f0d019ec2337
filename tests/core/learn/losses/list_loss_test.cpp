// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/list_loss.h"

#include <algorithm>
#include <cmath>

#include "braid/core/learn/losses/list_objective.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using namespace braid;
using namespace braid::test;
using Values = std::vector<double>;

struct Case {
    std::vector<Grade> grades;
    ListStages stages;
    Values scores;  // In the order of the stages.
};

Case random_case(std::uint64_t seed, GradeTies ties, double scale = 3) {
    braid::Random random(seed);
    Case result;
    const std::size_t size = 3 + random.below(20);
    for (std::size_t i = 0; i < size; ++i) {
        result.grades.push_back(static_cast<Grade>(random.below(4)) - 1);
        result.scores.push_back(scale * random.normal());
    }
    result.grades[0] = 2;
    result.grades[1] = 0;
    result.stages = braid::stages_of(result.grades, ties, random);
    return result;
}

// The stages one by one: who is chosen, and from whom.
template <typename Visit>
void each_stage(const ListStages& stages, const Visit& visit) {
    for (std::size_t from = 0; from < stages.counts.size(); ++from) {
        for (int i = 0; i < stages.counts[from]; ++i) visit(from);
    }
}

double plain_loss(const ListStages& stages, const Values& x) {
    double loss = 0;
    each_stage(stages, [&](std::size_t from) {
        double sum = 0;
        for (std::size_t n = from; n < x.size(); ++n) sum += std::exp(x[n]);
        loss += std::log(sum);
    });
    for (std::size_t i = 0; i < stages.chosen; ++i) loss -= x[i];
    return loss;
}

double plain_spread(const ListStages& stages, double c, const Values& x) {
    double spread = 0;
    each_stage(stages, [&](std::size_t from) {
        double sum = 0;
        double mean = 0;
        for (std::size_t n = from; n < x.size(); ++n) sum += std::exp(c * x[n]);
        for (std::size_t n = from; n < x.size(); ++n) mean += std::exp(c * x[n]) / sum * x[n];
        for (std::size_t n = from; n < x.size(); ++n) {
            spread += std::exp(c * x[n]) / sum * (x[n] - mean) * (x[n] - mean);
        }
    });
    return spread;
}

// The paper's (7), margins and all, for a full order.
double equation_7(const Values& x, double c) {
    const std::size_t K = x.size();
    Values y;
    for (std::size_t i = 0; i + 1 < K; ++i) y.push_back(x[i] - x[i + 1]);
    const auto h = [&](std::size_t m, std::size_t s, std::size_t t) {
        double sum = 0;
        for (std::size_t n = s + 1; n <= t; ++n) {
            double margin = 0;
            for (std::size_t k = m; k <= n - 1; ++k) margin += c * y[k - 1];
            sum += std::exp(-margin);
        }
        return sum;
    };
    double form = 0;
    for (std::size_t i = 1; i < K; ++i) {
        for (std::size_t j = 1; j < K; ++j) {
            double entry = 0;
            for (std::size_t m = 1; m <= std::min(i, j); ++m) {
                entry += h(m, std::max(i, j), K) * (1 + h(m, m, std::min(i, j))) /
                         ((1 + h(m, m, K)) * (1 + h(m, m, K)));
            }
            form += y[i - 1] * entry * y[j - 1];
        }
    }
    return form;
}

template <typename Value>
void check_gradient(const Value& value, const Values& at, const Values& gradient) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        Values up = at;
        Values down = at;
        const double step = 1e-5 * std::max(1.0, std::abs(at[i]));
        up[i] += step;
        down[i] -= step;
        CHECK(gradient[i] ==
              Approx((value(up) - value(down)) / (2 * step)).epsilon(1e-6).margin(1e-7));
    }
}

const std::vector<GradeTies> kTies = {GradeTies::kBreslow, GradeTies::kFull};

}  // namespace

TEST_CASE("List loss: equals the plain forms", "[property]") {
    for (std::uint64_t i = 0; i < 60; ++i) {
        const Case one = random_case(braid::test::seed() + i, kTies[i % 2]);
        CHECK(braid::list_loss(one.stages, one.scores, {}) ==
              Approx(plain_loss(one.stages, one.scores)).epsilon(1e-10));
        for (const double c : {0.0, 0.5, 1.0}) {
            CHECK(braid::list_spread(one.stages, c, one.scores, {}) ==
                  Approx(plain_spread(one.stages, c, one.scores)).epsilon(1e-10));
        }
    }
}

TEST_CASE("List loss: the spread is the form of equation (7)", "[property]") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Case one = random_case(braid::test::seed() + i, GradeTies::kFull, 1);
        for (const double c : {0.0, 0.25, 1.0}) {
            CHECK(braid::list_spread(one.stages, c, one.scores, {}) ==
                  Approx(equation_7(one.scores, c)).epsilon(1e-10));
        }
    }
}

TEST_CASE("List loss: gradients are the finite differences", "[property]") {
    for (std::uint64_t i = 0; i < 30; ++i) {
        const Case one = random_case(braid::test::seed() + i, kTies[i % 2], 1.5);
        Values gradient(one.scores.size());
        braid::list_loss(one.stages, one.scores, gradient);
        check_gradient([&](const Values& x) { return plain_loss(one.stages, x); }, one.scores,
                       gradient);
        for (const double c : {0.0, 0.5, 1.0}) {
            braid::list_spread(one.stages, c, one.scores, gradient);
            check_gradient([&](const Values& x) { return plain_spread(one.stages, c, x); },
                           one.scores, gradient);
        }
        std::vector<Grade> grades;
        for (const auto place : one.stages.order) grades.push_back(one.grades[place]);
        braid::pair_loss(grades, one.scores, gradient);
        check_gradient([&](const Values& x) { return braid::pair_loss(grades, x, {}); }, one.scores,
                       gradient);
    }
}

TEST_CASE("List loss: pairs are those that are counted one by one", "[property]") {
    // Scales at which odds are near 1, small, large, and out of the exponential's range.
    for (const double scale : {1e-3, 1.0, 20.0, 100.0, 1e3}) {
        for (std::uint64_t i = 0; i < 10; ++i) {
            const Case one = random_case(braid::test::seed() + i, GradeTies::kBreslow, scale);
            const Values& x = one.scores;
            double loss = 0;
            double pairs = 0;
            Values slopes(x.size(), 0);
            for (std::size_t a = 0; a < x.size(); ++a) {
                for (std::size_t b = 0; b < x.size(); ++b) {
                    if (std::max(one.grades[a], 0) <= std::max(one.grades[b], 0)) continue;
                    const double margin = x[a] - x[b];
                    loss += std::log1p(std::exp(-std::abs(margin))) + std::max(-margin, 0.0);
                    const double slope = 1 / (1 + std::exp(margin));
                    slopes[a] -= slope;
                    slopes[b] += slope;
                    ++pairs;
                }
            }
            Values gradient(x.size());
            CHECK_THAT(braid::pair_loss(one.grades, x, gradient), WithinRel(loss / pairs, 1e-12));
            CHECK(braid::pair_loss(one.grades, x, {}) == braid::pair_loss(one.grades, x, gradient));
            for (std::size_t a = 0; a < x.size(); ++a) {
                CHECK(gradient[a] == Approx(slopes[a] / pairs).epsilon(1e-11).margin(1e-14));
            }
        }
    }
}

TEST_CASE("List loss: an example by hand") {
    // Grades 2, 1, 1, 0: one choice of four, two of three.
    braid::Random random(1);
    const std::vector<Grade> grades = {1, 0, 2, 1};
    const ListStages stages = braid::stages_of(grades, GradeTies::kBreslow, random);
    CHECK(stages.order == std::vector<std::uint32_t>{2, 0, 3, 1});
    CHECK(stages.counts == Values{1, 2, 0, 0});
    CHECK(stages.chosen == 3);
    const Values zero(4, 0);
    CHECK_THAT(braid::list_loss(stages, zero, {}), WithinRel(std::log(4.0) + 2 * std::log(3.0)));
    // Variances of (3, 0, 0, 0) and (0, 0, 0) at even odds.
    CHECK_THAT(braid::list_spread(stages, 0, Values{4, 0, 0, 0}, {}), WithinRel(3.0, 1e-12));
    CHECK_THAT(braid::pair_loss(std::vector<Grade>{1, 0}, Values{0, 0}, {}),
               WithinRel(std::log(2.0), 1e-12));
    const ListStages full = braid::stages_of(grades, GradeTies::kFull, random);
    CHECK(full.counts == Values{1, 1, 1, 1});
    // One grade only, or no document: nothing is chosen.
    CHECK(braid::stages_of(std::vector<Grade>(3, 1), GradeTies::kBreslow, random).chosen == 0);
    CHECK(braid::stages_of({}, GradeTies::kBreslow, random).order.empty());
    // Unjudged counts as grade 0.
    CHECK(braid::stages_of(std::vector<Grade>{-1, 0}, GradeTies::kBreslow, random).chosen == 0);
}

TEST_CASE("List loss: huge scores and tiny spreads") {
    for (const GradeTies ties : kTies) {
        Case one = random_case(braid::test::seed(), ties);
        Values gradient(one.scores.size());
        for (double& score : one.scores) score *= 1e4;
        CHECK(std::isfinite(braid::list_loss(one.stages, one.scores, gradient)));
        for (const double part : gradient) CHECK(std::isfinite(part));
        CHECK(std::isfinite(braid::list_spread(one.stages, 1, one.scores, gradient)));
        for (const double part : gradient) CHECK(std::isfinite(part));
        // A shift changes nothing, and neither loses the digits of small differences.
        Values small;
        for (const double score : one.scores) small.push_back(score * 1e-12);
        const double before = braid::list_spread(one.stages, 0.5, small, {});
        for (double& score : small) score = std::ldexp(std::round(std::ldexp(score, 40)), -40);
        const double exact = braid::list_spread(one.stages, 0.5, small, {});
        for (double& score : small) score += 1024;
        CHECK(before > 0);
        CHECK(braid::list_spread(one.stages, 0.5, small, {}) == Approx(exact).epsilon(1e-4));
    }
}

TEST_CASE("List objective: gradient by weights, with diversity, is the finite difference",
          "[property]") {
    const auto set = braid::test::random_training(
        braid::test::seed(), {.queries = 4, .documents = 12, .highest_grade = 2});
    for (const double lambda : {0.0, 0.3}) {
        for (const bool pairs : {false, true}) {
            const ListObjective objective(
                set, {.pairs = pairs, .diversity = lambda, .interpolation = 0.7});
            REQUIRE(objective.queries().size() == 4);
            const Values weights = {0.9, -0.4, 1.3, 0.2};
            Values gradient(4);
            for (std::size_t i = 0; i < 4; ++i) {
                const auto& query = objective.whole(i);
                objective.value(query, weights, gradient);
                check_gradient([&](const Values& w) { return objective.value(query, w, {}); },
                               weights, gradient);
            }
        }
    }
}

TEST_CASE("List objective: equals equation (6) term by term") {
    const auto set = braid::test::random_training(
        braid::test::seed() + 1, {.queries = 3, .documents = 9, .rankers = 3, .highest_grade = 2});
    const double c = 0.6;
    const ListObjective plain(set, {.ties = GradeTies::kFull});
    const ListObjective diverse(set,
                                {.ties = GradeTies::kFull, .diversity = 1, .interpolation = c});
    const Values w = {0.8, 0.5, -0.2};
    for (std::size_t i = 0; i < 3; ++i) {
        const ListStages& stages = diverse.whole(i).stages;
        Values ensemble(9, 0);
        double spreads = 0;
        const double sum = w[0] + w[1] + w[2];
        for (std::size_t k = 0; k < 3; ++k) {
            Values x;
            for (const auto row : diverse.whole(i).rows) x.push_back(set.row(row)[k]);
            for (std::size_t d = 0; d < 9; ++d) ensemble[d] += w[k] * x[d];
            spreads += w[k] / sum * 0.5 * equation_7(x, c);
        }
        // The slope at zero along the ensemble, as a difference.
        Values up;
        Values down;
        for (const double x : ensemble) {
            up.push_back(1e-5 * x);
            down.push_back(-1e-5 * x);
        }
        const double slope = (plain_loss(stages, up) - plain_loss(stages, down)) / 2e-5;
        const double diversity = spreads + (1 / sum - 1) * slope - equation_7(ensemble, c) / 2;
        CHECK(plain.value(diverse.whole(i), w, {}) - diverse.value(diverse.whole(i), w, {}) ==
              Approx(diversity).epsilon(1e-7));
    }
}

TEST_CASE("List objective: weights that sum to nothing") {
    CHECK(braid::sums_to_nothing(Values{1, -1}));
    CHECK(braid::sums_to_nothing(Values{0, 0}));
    CHECK_FALSE(braid::sums_to_nothing(Values{1, -0.99}));
}

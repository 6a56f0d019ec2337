// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <limits>
#include <set>

#include "braid/core/learn/losses/list_loss.h"
#include "braid/core/learn/losses/list_objective.h"
#include "braid/core/pool/ranker_map.h"
#include "braid/error.h"
#include "braid/tests/core/learn/random_training.h"
#include "braid/tests/support/support.h"

namespace {

using braid::ListObjective;
using braid::LossDecomposition;
using braid::TrainingSet;
using Values = std::vector<double>;

// The Bregman divergence of the loss from `from` to `to` as the integral of (1 - t) d' H d: by
// curvatures alone, so that it doesn't share the losses it is to explain. d' H d is the spread's
// limit at scale 1 around a shifted point, computed here stage by stage.
double curvature(const braid::ListStages& stages, const Values& at, const Values& d) {
    double sum = 0;
    for (std::size_t from = 0; from < at.size(); ++from) {
        if (stages.counts[from] == 0) continue;
        double total = 0;
        double mean = 0;
        double square = 0;
        for (std::size_t n = from; n < at.size(); ++n) total += std::exp(at[n]);
        for (std::size_t n = from; n < at.size(); ++n) mean += std::exp(at[n]) / total * d[n];
        for (std::size_t n = from; n < at.size(); ++n) {
            square += std::exp(at[n]) / total * (d[n] - mean) * (d[n] - mean);
        }
        sum += stages.counts[from] * square;
    }
    return sum;
}

double divergence(const braid::ListStages& stages, const Values& from, const Values& to) {
    constexpr int kSteps = 4000;  // Simpson's rule: an error of order 1e-13 here.
    Values d(from.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = to[i] - from[i];
    double sum = 0;
    for (int step = 0; step <= kSteps; ++step) {
        const double t = static_cast<double>(step) / kSteps;
        Values at = from;
        for (std::size_t i = 0; i < d.size(); ++i) at[i] += t * d[i];
        const double factor = step == 0 || step == kSteps ? 1 : step % 2 == 1 ? 4 : 2;
        sum += factor * (1 - t) * curvature(stages, at, d);
    }
    return sum / (3.0 * kSteps);
}

}  // namespace

TEST_CASE("Decomposition: theorem 1, weights of any sum and sign", "[property]") {
    const TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 3, .documents = 10, .rankers = 3, .highest_grade = 2});
    for (const Values& w : {Values{.2, .3, .5}, Values{1.2, 2, 1}, Values{2, -0.7, 0.4}}) {
        const LossDecomposition parts = braid::decompose_loss(set, w);
        CHECK(parts.queries == 3);
        const double sum = w[0] + w[1] + w[2];
        CHECK(parts.weight_sum == Approx(sum).epsilon(1e-12));
        const ListObjective objective(set, {});
        CHECK(parts.ensemble == Approx(objective.mean(w)).epsilon(1e-12));
        double ambiguity = 0;
        double rankers = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& query = objective.whole(i);
            Values ensemble;
            for (const auto row : query.rows) {
                ensemble.push_back(w[0] * set.row(row)[0] + w[1] * set.row(row)[1] +
                                   w[2] * set.row(row)[2]);
            }
            for (std::size_t k = 0; k < 3; ++k) {
                Values own;
                for (const auto row : query.rows) own.push_back(set.row(row)[k]);
                Values unit(3, 0);
                unit[k] = 1;
                ambiguity += w[k] / sum * divergence(query.stages, ensemble, own) / 3;
                rankers += w[k] / sum * objective.value(query, unit, {}) / 3;
            }
        }
        CHECK(parts.ambiguity == Approx(ambiguity).epsilon(1e-9).margin(1e-10));
        CHECK(parts.rankers == Approx(rankers).epsilon(1e-12));
        CHECK(parts.ensemble ==
              Approx(rankers - ambiguity - (1 / sum - 1) * parts.slope).epsilon(1e-9));
    }
    // As printed, without the last term, it only holds for weights of sum 1.
    const LossDecomposition scaled = braid::decompose_loss(set, Values{1.2, 2, 1});
    const double off = std::abs(scaled.ensemble - (scaled.rankers - scaled.ambiguity));
    CHECK(off > 1e-7);  // The term is as large as the slope, which is the data's.
    CHECK(off == Approx(std::abs((1 / 4.2 - 1) * scaled.slope)).epsilon(1e-6));
}

TEST_CASE("Decomposition: the diversity is near the ambiguity where scores are small") {
    TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 5, .rankers = 3, .highest_grade = 2});
    for (double& score : set.scores) score *= 0.001;
    const LossDecomposition parts = braid::decompose_loss(set, Values{.2, .3, .5});
    CHECK(parts.ambiguity > 0);
    CHECK(parts.diversity == Approx(parts.ambiguity).epsilon(0.02));
    // The same ranker thrice has none.
    for (std::size_t i = 0; i < set.scores.size(); ++i) set.scores[i] = set.scores[i / 3 * 3];
    CHECK(braid::decompose_loss(set, Values{.2, .3, .5}).ambiguity == Approx(0).margin(1e-12));
}

TEST_CASE("Decomposition: wrong weights") {
    const TrainingSet set = braid::test::random_training(braid::test::seed());
    CHECK_THROWS_AS(braid::decompose_loss(set, Values{1}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::decompose_loss(set, Values{1, -1, 0, 0}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::decompose_loss(set, Values{1, NAN, 0, 0}), braid::InvalidArgument);
}

TEST_CASE("Ranker distances: equal the sets' definition", "[property]") {
    TrainingSet set = braid::test::random_training(
        braid::test::seed(), {.queries = 6, .documents = 12, .with_ties = true});
    for (const std::size_t depth : {1U, 5U, 40U}) {
        const Values found = braid::ranker_distances(set, depth);
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < 4; ++b) {
                double sum = 0;
                const std::size_t most = std::min<std::size_t>(depth, 12);
                for (std::size_t q = 0; q < 6; ++q) {
                    for (std::size_t l = 1; l <= most; ++l) {
                        const auto tops = [&](std::size_t k) {
                            std::set<std::pair<double, std::size_t>> all;
                            for (std::size_t d = 0; d < 12; ++d) {
                                all.insert({-set.row(12 * q + d)[k], d});
                            }
                            std::set<std::size_t> first;
                            for (const auto& entry : all) {
                                if (first.size() < l) first.insert(entry.second);
                            }
                            return first;
                        };
                        std::set<std::size_t> either = tops(a);
                        std::size_t both = 0;
                        for (const std::size_t d : tops(b)) {
                            if (!either.insert(d).second) ++both;
                        }
                        sum += 1 - static_cast<double>(both) / static_cast<double>(either.size());
                    }
                }
                CHECK(found[4 * a + b] ==
                      Approx(sum / 6 / static_cast<double>(most)).epsilon(1e-12).margin(1e-14));
            }
        }
    }
    CHECK_THROWS_AS(braid::ranker_distances(set, 0), braid::InvalidArgument);
}

TEST_CASE("Ranker map: points in a plane are found again") {
    const std::vector<std::pair<double, double>> points = {{0, 0}, {3, 0}, {3, 1}, {-1, 0.5}};
    Values distances;
    for (const auto& a : points) {
        for (const auto& b : points) {
            distances.push_back(std::hypot(a.first - b.first, a.second - b.second));
        }
    }
    const braid::RankerMap map = braid::map_rankers(distances);
    CHECK(map.share == Approx(1).epsilon(1e-12));
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
            CHECK(std::hypot(map.points[2 * a] - map.points[2 * b],
                             map.points[2 * a + 1] - map.points[2 * b + 1]) ==
                  Approx(distances[4 * a + b]).epsilon(1e-9).margin(1e-12));
        }
    }
    CHECK(braid::map_rankers(distances, 1).share < 1);
    CHECK(braid::map_rankers(Values{0}).points == Values{0, 0});
    CHECK(braid::map_rankers({}).points.empty());
    CHECK_THROWS_AS(braid::map_rankers(Values{0, 1, 1}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::map_rankers(Values{0, 1, 2, 0}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::map_rankers(Values{0, NAN, NAN, 0}), braid::InvalidArgument);
}

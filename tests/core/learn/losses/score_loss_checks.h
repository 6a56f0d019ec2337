// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/tests/support/support.h"
#include "braid/training_set.h"

namespace braid::test {

inline std::vector<double> random_scores(Random& random, std::size_t count, double spread) {
    std::vector<double> result(count);
    for (double& score : result) score = spread * random.normal();
    return result;
}

/// What every score loss promises: not negative, convex with the subgradient it gives, which is
/// the gradient by finite differences in general places (losses have kinks in places without
/// measure), unmoved by a constant added to all scores.
inline void check_score_loss(const ScoreLoss& loss, const TrainingSet& set, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::size_t n = set.pool_size(q);
        for (const double spread : {0.1, 1.0, 5.0}) {
            std::vector<double> scores = random_scores(random, n, spread);
            std::vector<double> slopes(n);
            std::vector<double> unused(n);
            const double value = loss.of_query(q, scores, slopes);
            CHECK(value >= 0);
            for (int i = 0; i < 5; ++i) {
                const std::vector<double> other = random_scores(random, n, spread);
                double tangent = value;
                for (std::size_t d = 0; d < n; ++d) tangent += slopes[d] * (other[d] - scores[d]);
                CHECK(loss.of_query(q, other, unused) >= tangent - 1e-9 * (1 + std::abs(tangent)));
            }
            double sum = 0;
            for (std::size_t d = 0; d < n; ++d) {
                sum += slopes[d];
                const double step = 1e-6;
                const double here = scores[d];
                scores[d] = here + step;
                const double above = loss.of_query(q, scores, unused);
                scores[d] = here - step;
                const double below = loss.of_query(q, scores, unused);
                scores[d] = here;
                CHECK(slopes[d] == Approx((above - below) / (2 * step)).epsilon(1e-5).margin(1e-7));
            }
            CHECK(sum == Approx(0).margin(1e-10));
            for (double& score : scores) score += 3;
            CHECK(loss.of_query(q, scores, unused) == Approx(value).epsilon(1e-9).margin(1e-12));
        }
    }
}

}  // namespace braid::test

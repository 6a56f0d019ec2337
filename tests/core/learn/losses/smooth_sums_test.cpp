// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_sums.h"

#include <cmath>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

TEST_CASE("smooth sums: of z of any finite size they are those of the formula", "[property]") {
    braid::Random random(braid::test::seed(), 9);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> z(60);
        for (std::size_t d = 0; d < z.size(); ++d) {
            const int exponent = round == 0 ? 1023 : static_cast<int>(random.below(120)) - 40;
            z[d] = std::ldexp(2 * random.uniform() - 1, exponent);
            if (d > 0 && d % 3 == 0) z[d] = z[d - 1];
            if (d > 0 && d % 3 == 1) z[d] = std::nextafter(z[d - 1], 1e308);
        }
        const std::vector<double> rows(z.size(), 1);
        const std::vector<std::uint32_t> targets = {0, 1, 2, 3, 4, 17, 30, 31, 33};
        const braid::SmoothPool pool{z, rows, 1, targets, 0};
        braid::SmoothPairs pairs;
        braid::TargetSums sums;
        for (const auto order : {braid::SmoothOrder::kGradient, braid::SmoothOrder::kHessian}) {
            pairs.gather(pool, order, sums);
            std::vector<double> slopes(z.size());
            std::vector<double> curvatures(z.size());
            pairs.spread(pool, order, std::vector<double>(targets.size(), 1), slopes, curvatures);
            for (std::size_t j = 0; j < targets.size(); ++j) {
                long double position = 0;
                long double slope = 0;
                for (const double other : z) {
                    const long double difference = (long double)other - z[targets[j]];
                    const long double s = 1 / (1 + std::exp(-difference));
                    position += s;
                    slope += s * (1 - s);
                }
                CHECK(std::abs(sums.position[j] - (double)position) < 1e-9);
                CHECK(std::abs(sums.slope[j] - (double)slope) < 1e-9);
                CHECK(std::isfinite(slopes[targets[j]]));
            }
        }
    }
}

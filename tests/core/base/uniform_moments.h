// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <vector>

#include "braid/tests/support/support.h"

namespace braid::test {

/// Checks the moments of 200,000 numbers from `uniform`, that neighbours are independent, and that
/// `below` gives each number as often.
template <typename Generator>
void check_uniform_moments(Generator& random) {
    const int n = 200000;
    double sum = 0;
    double squares = 0;
    double products = 0;
    double last = 0.5;
    std::vector<int> counts(7);
    for (int i = 0; i < n; ++i) {
        const double u = random.uniform();
        REQUIRE((u >= 0 && u < 1));
        sum += u;
        squares += u * u;
        products += (u - 0.5) * (last - 0.5);
        last = u;
        ++counts[random.below(7)];
    }
    CHECK(std::abs(sum / n - 0.5) < 0.004);
    CHECK(std::abs(squares / n - 1.0 / 3) < 0.004);
    CHECK(std::abs(products / n) < 0.001);
    for (const int count : counts) CHECK(std::abs(count - n / 7.0) < 5 * std::sqrt(n / 7.0));
}

}  // namespace braid::test

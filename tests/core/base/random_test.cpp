// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/random.h"

#include <algorithm>
#include <numeric>

#include "braid/tests/support/support.h"

using braid::Random;

TEST_CASE("Random: a seed and stream give the same numbers, others give others") {
    Random a(7);
    Random b(7);
    Random c(8);
    Random d(7, 1);
    const std::uint64_t first = a.bits();
    CHECK(first == b.bits());
    CHECK(first != c.bits());
    CHECK(first != d.bits());
}

TEST_CASE("Random: uniform, normal and below have the moments they should") {
    Random random(1);
    const int n = 200000;
    double sum = 0;
    double normal_sum = 0;
    double normal_squares = 0;
    std::vector<int> counts(7);
    for (int i = 0; i < n; ++i) {
        const double u = random.uniform();
        REQUIRE((u >= 0 && u < 1));
        sum += u;
        const double z = random.normal();
        normal_sum += z;
        normal_squares += z * z;
        ++counts[random.below(7)];
    }
    CHECK(std::abs(sum / n - 0.5) < 0.005);
    CHECK(std::abs(normal_sum / n) < 0.01);
    CHECK(std::abs(normal_squares / n - 1) < 0.02);
    for (const int count : counts) CHECK(std::abs(count - n / 7.0) < 5 * std::sqrt(n / 7.0));
}

TEST_CASE("Random: a shuffle keeps every value") {
    Random random(3);
    std::vector<int> values(100);
    std::iota(values.begin(), values.end(), 0);
    std::vector<int> shuffled = values;
    random.shuffle(shuffled);
    CHECK(shuffled != values);
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(shuffled == values);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/random.h"

#include <algorithm>
#include <numeric>

#include "braid/tests/core/base/uniform_moments.h"
#include "braid/tests/support/support.h"

using braid::Random;
using braid::test::check_uniform_moments;

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
    check_uniform_moments(random);
    const int n = 200000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < n; ++i) {
        const double z = random.normal();
        sum += z;
        squares += z * z;
    }
    CHECK(std::abs(sum / n) < 0.01);
    CHECK(std::abs(squares / n - 1) < 0.02);
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

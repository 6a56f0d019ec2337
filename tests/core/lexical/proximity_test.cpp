// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/proximity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/tests/core/lexical/naive_windows.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

std::vector<std::uint32_t> random_positions(Random& random, std::size_t last) {
    std::vector<std::uint32_t> positions;
    const std::size_t share = 1 + random.below(6);
    for (std::uint32_t i = 1; i <= last; ++i) {
        if (random.below(share) == 0) positions.push_back(i);
    }
    return positions;
}

}  // namespace

TEST_CASE("Proximity: windows are those of trying all pairs", "[property]") {
    Random random(seed());
    for (int round = 0; round < 3000; ++round) {
        const auto first = random_positions(random, random.below(40));
        const auto second = random_positions(random, random.below(40));
        const auto window = static_cast<std::uint32_t>(1 + random.below(10));
        const auto [ordered, unordered] = naive_windows(first, second, window);
        REQUIRE(count_ordered(first, second) == ordered);
        REQUIRE(count_unordered(first, second, window) == unordered);
        REQUIRE(count_unordered(second, first, window) == unordered);
        REQUIRE(count_unordered(first, second, window) <= std::min(first.size(), second.size()));
        REQUIRE(count_ordered(first, second) <= std::min(first.size(), second.size()));
    }
}

TEST_CASE("Proximity: windows of one word twice are disjoint pairs of its positions",
          "[property]") {
    CHECK(count_ordered(std::vector<std::uint32_t>{4, 5, 6}, std::vector<std::uint32_t>{4, 5, 6}) ==
          2);
    CHECK(count_unordered(std::vector<std::uint32_t>{4, 5, 6}, 8) == 1);
    CHECK(count_unordered(std::vector<std::uint32_t>{4, 12, 19, 20}, 8) == 1);
    CHECK(count_unordered(std::vector<std::uint32_t>{}, 8) == 0);
    Random random(seed(), 1);
    for (int round = 0; round < 1000; ++round) {
        const auto word = random_positions(random, random.below(40));
        const auto window = static_cast<std::uint32_t>(1 + random.below(10));
        // The most pairs that end at the last position or before.
        std::vector<std::size_t> most(word.size() + 1);
        for (std::size_t i = 0; i < word.size(); ++i) {
            most[i + 1] = most[i];
            for (std::size_t j = 0; j < i; ++j) {
                if (word[i] - word[j] < window) most[i + 1] = std::max(most[i + 1], most[j] + 1);
            }
        }
        REQUIRE(count_unordered(word, window) == most.back());
    }
}

TEST_CASE("Proximity: the example of its page") {
    const double rarity = proximity_rarity(4, 2);
    CHECK_THAT(rarity, WithinRel(std::log(2.0), 1e-12));
    const ProximitySettings settings;
    const WindowGain gain(settings, 5);
    CHECK_THAT(gain(2, 5), WithinRel(1.375, 1e-12));
    CHECK_THAT(rarity * gain(2, 5), WithinAbs(0.953, 0.0005));
    const std::vector<std::uint32_t> leak = {1}, memory = {3};
    CHECK(count_ordered(memory, leak) == 0);
    CHECK(count_unordered(memory, leak, 8) == 1);
    CHECK_THAT(rarity * (1 - settings.ordered) * gain(1, 3), WithinAbs(0.276, 0.0005));
}

TEST_CASE("Proximity: the gain rises with windows and falls with length", "[property]") {
    Random random(seed(), 2);
    for (int round = 0; round < 1000; ++round) {
        const ProximitySettings settings{8, random.uniform(), 3 * random.uniform(),
                                         random.uniform()};
        const WindowGain gain(settings, 1 + 100 * random.uniform());
        const double f = 1 + static_cast<double>(random.below(20));
        const double length = 1 + static_cast<double>(random.below(200));
        CHECK(gain(0, length) == 0);
        CHECK(gain(f + 1, length) >= gain(f, length) * (1 - 1e-15));
        CHECK(gain(f, length + 1) <= gain(f, length) * (1 + 1e-15));
        CHECK(gain(f, length) <= settings.k1 + 1);
    }
    CHECK(WindowGain({}, 0)(3, 10) > 0);
    CHECK(proximity_rarity(10, 10) > 0);
    CHECK(proximity_rarity(10, 20) == proximity_rarity(10, 10));
    CHECK(proximity_rarity(10, 1) > proximity_rarity(10, 2));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// Differences in height of crossed and self-fertilised maize that R. A. Fisher tested in "The
// Design of Experiments"; he gives t 2.148 and finds 863 of the 32,768 arrangements of signs with
// a sum as high as observed.
const std::vector<double> kMaize = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

// 39 differences that are not 0, with ties; and one that is.
std::vector<double> tied_example() {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back((i * 37 % 23 - 9) / 4.0);
    return values;
}

std::vector<double> random_differences(Random& random, std::size_t count, std::uint64_t sizes) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(
            (static_cast<double>(random.below(2 * sizes + 1)) - static_cast<double>(sizes)) / 8);
    }
    return values;
}

// The mean rank of values[i] among the sizes of all values.
double mean_rank(const std::vector<double>& values, std::size_t i) {
    double below = 0;
    double same = 0;
    for (const double other : values) {
        below += std::abs(other) < std::abs(values[i]) ? 1 : 0;
        same += std::abs(other) == std::abs(values[i]) ? 1 : 0;
    }
    return below + (same + 1) / 2;
}

// The share of all assignments of signs whose sum of signed `weights` is as far from 0 as that of
// the signs of `values`.
double enumerated(const std::vector<double>& values, const std::vector<double>& weights) {
    double observed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        observed += values[i] > 0 ? weights[i] : -weights[i];
    }
    std::size_t reached = 0;
    for (std::size_t signs = 0; signs < std::size_t{1} << values.size(); ++signs) {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += (signs >> i & 1) != 0 ? weights[i] : -weights[i];
        }
        if (std::abs(sum) >= std::abs(observed) - 1e-9) ++reached;
    }
    return std::ldexp(static_cast<double>(reached), -static_cast<int>(values.size()));
}

// The same share for whole numbers, by counting the ways to each sum.
double share_by_counting(const std::vector<double>& values) {
    std::map<int, double> ways = {{0, 1.0}};
    int observed = 0;
    for (const double value : values) {
        const int size = static_cast<int>(std::abs(value));
        observed += static_cast<int>(value);
        std::map<int, double> next;
        for (const auto& [sum, count] : ways) {
            next[sum + size] += count / 2;
            next[sum - size] += count / 2;
        }
        ways = std::move(next);
    }
    double share = 0;
    for (const auto& [sum, count] : ways) {
        if (std::abs(sum) >= std::abs(observed)) share += count;
    }
    return share;
}

std::vector<double> without_zeros(std::vector<double> values) {
    values.erase(std::remove(values.begin(), values.end(), 0.0), values.end());
    return values;
}

}  // namespace

// scipy 1.10.1: stats.ttest_1samp(d, 0).
TEST_CASE("Paired t test: equals scipy") {
    const PairedTestResult maize = paired_t_test(kMaize);
    CHECK_THAT(maize.statistic, WithinRel(2.1479874613311205, 1e-13));
    CHECK_THAT(maize.p, WithinRel(0.0497029440218009, 1e-12));
    CHECK(maize.count == 15);
    const PairedTestResult tied = paired_t_test(tied_example());
    CHECK_THAT(tied.statistic, WithinRel(1.6820753606877106, 1e-13));
    CHECK_THAT(tied.p, WithinRel(0.10054571197564192, 1e-12));
}

// scipy 1.10.1: stats.wilcoxon(d, mode="exact") gives 0.041259765625 for the maize (which has no
// ties); stats.wilcoxon(d, zero_method="wilcox", correction=True, mode="approx") the 39.
TEST_CASE("Wilcoxon: equals scipy, exact without ties and approximate with them") {
    const PairedTestResult maize = wilcoxon_test(kMaize);
    CHECK(maize.exact);
    CHECK(maize.statistic == 96);
    CHECK(maize.p == 0.041259765625);
    const PairedTestResult tied = wilcoxon_test(tied_example());
    CHECK_FALSE(tied.exact);
    CHECK(tied.count == 39);
    CHECK(tied.statistic == 503);
    CHECK_THAT(tied.p, WithinRel(0.11612287173808503, 1e-12));
}

// Wilcoxon's published table, as in F. Wilcoxon, "Individual Comparisons by Ranking Methods"
// (1945) and since: the largest sum of the rarer sign that is significant at .05, two-sided.
TEST_CASE("Wilcoxon: the critical values of the published table") {
    const std::vector<std::pair<int, int>> table = {{6, 0},  {7, 2},   {8, 3},   {9, 5},
                                                    {10, 8}, {15, 25}, {20, 52}, {25, 89}};
    for (const auto& [count, critical] : table) {
        // Ranks 1 .. count; a set of ranks with a given sum is made negative.
        for (const int sum : {critical, critical + 1}) {
            std::vector<double> values;
            int left = sum;
            for (int rank = count; rank >= 1; --rank) {
                const bool negative = rank <= left;
                if (negative) left -= rank;
                values.push_back(negative ? -rank : rank);
            }
            REQUIRE(left == 0);
            INFO("n " << count << ", sum " << sum);
            CHECK((wilcoxon_test(values).p <= 0.05) == (sum == critical));
        }
    }
}

// 12 differences with ties: enumeration of the 4,096 signs of the mean ranks (also scipy's
// permutation_test on the sum of positive mean ranks) gives 78 of them.
TEST_CASE("Wilcoxon: exact with ties, zeros dropped") {
    const std::vector<double> values = {3, -1, 2, 2, -2, 5, 1, 4, 4, -1, 0, 6, 0, 2};
    const PairedTestResult result = wilcoxon_test(values);
    CHECK(result.exact);
    CHECK(result.count == 12);
    CHECK(result.statistic == 68.5);
    CHECK(result.p == 78.0 / 4096);
}

TEST_CASE("Wilcoxon: sizes that differ by rounding are ties") {
    // 1/3 - 1/6 and 1/2 - 1/3 are 1/6 with different last bits.
    const std::vector<double> rounded = {1.0 / 3 - 1.0 / 6, -(1.0 / 2 - 1.0 / 3), 0.5, 0.25};
    const std::vector<double> exact = {1, -1, 3, 1.5};
    REQUIRE(rounded[0] != -rounded[1]);
    CHECK(wilcoxon_test(rounded).p == wilcoxon_test(exact).p);
    CHECK(wilcoxon_test(rounded).statistic == 8.5);
}

TEST_CASE("Wilcoxon and randomisation: equal an enumeration of all signs", "[property]") {
    Random random(braid::test::seed());
    for (int round = 0; round < 300; ++round) {
        const std::vector<double> values =
            random_differences(random, 1 + random.below(12), 1 + random.below(9));
        const std::vector<double> others = without_zeros(values);
        std::vector<double> ranks;
        std::vector<double> sizes;
        for (std::size_t i = 0; i < others.size(); ++i) {
            ranks.push_back(mean_rank(others, i));
            sizes.push_back(std::abs(others[i]));
        }
        INFO("round " << round);
        REQUIRE(wilcoxon_test(values).exact);
        REQUIRE(wilcoxon_test(values).p == enumerated(others, ranks));
        REQUIRE(randomisation_test(values).exact);
        REQUIRE(randomisation_test(values).p == enumerated(others, sizes));
    }
}

TEST_CASE("Randomisation: Fisher's own count, and the limit of exactness") {
    const PairedTestResult maize = randomisation_test(kMaize);
    CHECK(maize.exact);
    CHECK(maize.p == 2 * 863.0 / 32768);
    CHECK_THAT(maize.statistic, WithinRel(314.0 / 15, 1e-14));
    // 32 equal differences: only the two ways to give all one sign reach the sum.
    const std::vector<double> equal(32, 0.1);
    CHECK(randomisation_test(equal).exact);
    CHECK(randomisation_test(equal).p == std::ldexp(1.0, -31));
    const std::vector<double> more(33, 0.1);
    const PairedTestResult sampled = randomisation_test(more);
    CHECK_FALSE(sampled.exact);
    CHECK(sampled.p == 1.0 / 100001);
}

TEST_CASE("Randomisation: sampling is seeded and near the exact value") {
    // Whole numbers, so that the 2^45 ways can be counted by their sum.
    std::vector<double> values;
    for (int i = 0; i < 45; ++i) values.push_back((i * 7 % 11 + 1) * (i % 3 == 0 ? -1 : 1));
    const double share = share_by_counting(values);
    REQUIRE(share > 0.02);
    REQUIRE(share < 0.98);
    const double deviation = std::sqrt(share * (1 - share) / 100000);
    std::set<double> different;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const PairedTestResult result = randomisation_test(values, {.seed = seed});
        CHECK_FALSE(result.exact);
        CHECK(result.count == 45);
        CHECK(std::abs(result.p - share) < 4.5 * deviation);
        CHECK(result.p == randomisation_test(values, {.seed = seed}).p);
        different.insert(result.p);
    }
    CHECK(different.size() > 5);
    CHECK_THROWS_AS(randomisation_test(values, {.samples = 0}), braid::InvalidArgument);
}

TEST_CASE("Paired tests: no differences, one, and all the same") {
    const std::vector<double> none;
    const std::vector<double> zeros(5, 0.0);
    for (const braid::PairedTestInfo& test : braid::paired_tests()) {
        INFO(test.name);
        CHECK(test.run(none, 1).p == 1);
        CHECK(test.run(zeros, 1).p == 1);
        const std::vector<double> one = {0.5};
        CHECK(test.run(one, 1).p == 1);
        const std::vector<double> same(40, 0.25);
        CHECK(test.run(same, 1).p < 1e-4);
    }
    CHECK(paired_t_test(std::vector<double>{0.5, 0.5}).p == 0);
    CHECK(std::isinf(paired_t_test(std::vector<double>{0.5, 0.5}).statistic));
}

TEST_CASE("Paired tests: the sign of all differences does not change p", "[property]") {
    Random random(braid::test::seed());
    for (int round = 0; round < 200; ++round) {
        std::vector<double> values =
            random_differences(random, 2 + random.below(60), 1 + random.below(20));
        std::vector<double> mirrored = values;
        for (double& value : mirrored) value = -value;
        for (const braid::PairedTestInfo& test : braid::paired_tests()) {
            const PairedTestResult result = test.run(values, 7);
            INFO(test.name << " round " << round);
            REQUIRE(result.p >= 0);
            REQUIRE(result.p <= 1);
            // Sampled: the same signs are drawn, so the same sums of the other sign.
            REQUIRE_THAT(test.run(mirrored, 7).p, WithinRel(result.p, 1e-9));
        }
    }
}

TEST_CASE("Paired tests: calling p below .05 significant is right 95 times of 100", "[property]") {
    Random random(braid::test::seed());
    std::vector<int> called(braid::paired_tests().size());
    const int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> values;
        for (int i = 0; i < 20; ++i) values.push_back(random.normal());
        std::size_t number = 0;
        for (const braid::PairedTestInfo& test : braid::paired_tests()) {
            called[number++] += test.run(values, 1).p <= 0.05 ? 1 : 0;
        }
    }
    for (const int count : called) {
        CHECK(std::abs(count - 0.05 * rounds) < 4 * std::sqrt(0.05 * 0.95 * rounds));
    }
}

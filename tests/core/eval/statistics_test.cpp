// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <set>

#include "braid/core/base/random.h"
#include "braid/core/eval/folds.h"
#include "braid/core/eval/summary.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid::test;

namespace {
const std::vector<double> kMaize = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
}

TEST_CASE("Summary: mean and standard deviation where plain sums lose digits") {
    const std::vector<double> large = {1e16, 1, -1e16, 1};
    CHECK(braid::mean(large) == 0.5);
    std::vector<double> shifted;
    for (int i = 0; i < 1000; ++i) shifted.push_back(1e9 + i % 2);
    // Half 0 and half 1 around .5: squares sum to 250.
    CHECK_THAT(braid::standard_deviation(shifted), WithinRel(std::sqrt(250.0 / 999), 1e-14));
    CHECK(braid::standard_deviation(std::vector<double>{3}) == 0);
    CHECK_THROWS_AS(braid::mean({}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::standard_deviation({}), braid::InvalidArgument);
}

// scipy 1.10.1: stats.t.interval(.95, 14, loc=d.mean(), scale=stats.sem(d)), d.std(ddof=1).
TEST_CASE("Effect: interval and size of Fisher's maize equal scipy's") {
    CHECK_THAT(braid::mean(kMaize), WithinRel(20.933333333333334, 1e-14));
    CHECK_THAT(braid::standard_deviation(kMaize), WithinRel(37.7443783262898, 1e-14));
    const braid::ConfidenceInterval interval = braid::mean_interval(kMaize);
    CHECK_THAT(interval.low, Catch::WithinAbs(0.03119331840152384, 1e-10));
    CHECK_THAT(interval.high, WithinRel(41.83547334826514, 1e-12));
    CHECK_THAT(braid::effect_size(kMaize), WithinRel(0.5546079777065185, 1e-14));
    // A wider confidence is a wider interval.
    CHECK(braid::mean_interval(kMaize, 0.99).low < 0);
}

TEST_CASE("Effect: few or equal values") {
    const std::vector<double> same = {0.5, 0.5, 0.5};
    CHECK(braid::mean_interval(same).low == 0.5);
    CHECK(braid::mean_interval(same).high == 0.5);
    CHECK(std::isinf(braid::effect_size(same)));
    CHECK(braid::effect_size(std::vector<double>{0, 0}) == 0);
    CHECK(std::isinf(braid::mean_interval(std::vector<double>{1}).high));
    CHECK_THROWS_AS(braid::mean_interval({}), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::mean_interval(same, 1), braid::InvalidArgument);
}

TEST_CASE("Holm: worked by hand, monotone, at most 1, in the order given") {
    // Sorted .005 .01 .03 .04: times 4, 3, 2, 1 is .02 .03 .06 .04, and the last rises to .06.
    const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
    const std::vector<double> adjusted = braid::holm_adjusted(p);
    const std::vector<double> wanted = {0.03, 0.06, 0.06, 0.02};
    for (std::size_t i = 0; i < 4; ++i) CHECK_THAT(adjusted[i], WithinRel(wanted[i], 1e-12));
    CHECK(braid::holm_adjusted(std::vector<double>{0.7, 0.6}) == std::vector<double>{1, 1});
    CHECK(braid::holm_adjusted(std::vector<double>{0.7}) == std::vector<double>{0.7});
    CHECK(braid::holm_adjusted({}).empty());
    CHECK_THROWS_AS(braid::holm_adjusted(std::vector<double>{1.5}), braid::InvalidArgument);
}

TEST_CASE("Folds: every query is tested once, parts differ by one at most", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 50; ++round) {
        const std::size_t count = 2 + random.below(40);
        const std::size_t parts = 2 + random.below(count - 1);
        std::vector<std::string> queries;
        for (std::size_t i = 0; i < count; ++i) queries.push_back("q" + std::to_string(i));
        const auto folds = braid::cross_validation_folds(queries, parts, random.bits());
        REQUIRE(folds.size() == parts);
        std::set<std::size_t> tested;
        std::size_t smallest = count;
        std::size_t largest = 0;
        for (const braid::Fold& fold : folds) {
            smallest = std::min(smallest, fold.test.size());
            largest = std::max(largest, fold.test.size());
            REQUIRE(std::is_sorted(fold.test.begin(), fold.test.end()));
            REQUIRE(std::is_sorted(fold.train.begin(), fold.train.end()));
            std::set<std::size_t> whole(fold.train.begin(), fold.train.end());
            whole.insert(fold.test.begin(), fold.test.end());
            REQUIRE(whole.size() == count);
            REQUIRE(fold.train.size() + fold.test.size() == count);
            tested.insert(fold.test.begin(), fold.test.end());
        }
        REQUIRE(tested.size() == count);
        REQUIRE(largest - smallest <= 1);
    }
}

TEST_CASE("Folds: depend on names and seed, not on the order of the list") {
    std::vector<std::string> queries;
    for (int i = 0; i < 20; ++i) queries.push_back(std::to_string(i));
    const auto names_of = [](const std::vector<std::string>& list, const braid::Fold& fold) {
        std::set<std::string> names;
        for (const std::size_t i : fold.test) names.insert(list[i]);
        return names;
    };
    std::vector<std::string> reversed(queries.rbegin(), queries.rend());
    const auto folds = braid::cross_validation_folds(queries, 4, 1);
    const auto again = braid::cross_validation_folds(reversed, 4, 1);
    const auto others = braid::cross_validation_folds(queries, 4, 2);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(names_of(queries, folds[i]) == names_of(reversed, again[i]));
    }
    CHECK(names_of(queries, folds[0]) != names_of(queries, others[0]));
    // The same on every machine and in every version.
    CHECK(folds[0].test == std::vector<std::size_t>{3, 9, 10, 14, 15});
}

TEST_CASE("Folds: impossible splits are refused") {
    const std::vector<std::string> queries = {"a", "b", "c"};
    CHECK_THROWS_AS(braid::cross_validation_folds(queries, 1), braid::InvalidArgument);
    CHECK_THROWS_AS(braid::cross_validation_folds(queries, 4), braid::InvalidArgument);
    const std::vector<std::string> twice = {"a", "b", "a"};
    CHECK_THROWS_WITH(braid::cross_validation_folds(twice, 2),
                      "query a is twice in the list to split");
}

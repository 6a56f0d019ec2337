// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/value_rankers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDay = 86400;

ParameterMap random_value_parameters(Random& random, const ValueRankerInfo& info) {
    ParameterMap parameters;
    for (const ParameterInfo& parameter : info.parameters) {
        if (random.below(2) == 0) continue;
        const double low = std::max(parameter.minimum, 1e-9);
        const double share = random.uniform();
        const double value = low * std::pow(parameter.maximum / low, share);
        parameters[parameter.name] = parameter.is_whole ? std::floor(value) : value;
    }
    return parameters;
}

double random_number(Random& random) {
    switch (random.below(8)) {
        case 0:
            return 0;
        case 1:
            return kInfinity;
        case 2:
            return -kInfinity;
        default:
            break;
    }
    const double size = std::exp(60 * random.uniform() - 20);
    return random.below(4) == 0 ? -size : size;
}

}  // namespace

TEST_CASE("Value rankers: worked by hand") {
    CHECK(ValueScorer("value-linear", {}, 0).score(3.5) == 3.5);
    CHECK(ValueScorer("value-linear", {{"maximum", 2}}, 0).score(3.5) == 2);
    CHECK(ValueScorer("value-linear", {}, 0).score(-1) == 0);
    CHECK_THAT(ValueScorer("value-log", {}, 0).score(99), WithinRel(std::log(100.0), 1e-15));
    CHECK_THAT(ValueScorer("value-log", {{"scale", 10}, {"maximum", 90}}, 0).score(1e6),
               WithinRel(std::log(10.0), 1e-15));
    CHECK(ValueScorer("value-reciprocal", {}, 0).score(0) == 1);
    CHECK(ValueScorer("value-reciprocal", {{"scale", 5}}, 0).score(5) == 0.5);
    CHECK(ValueScorer("value-reciprocal", {{"scale", 5}}, 0).score(-7) == 1);
    const ValueScorer decay("value-decay", {{"half_life", 10}}, 100 * kDay);
    CHECK(decay.of_time());
    CHECK(decay.score(100 * kDay) == 1);
    CHECK(decay.score(200 * kDay) == 1);
    CHECK(decay.score(90 * kDay) == 0.5);
    CHECK(decay.score(70 * kDay) == 0.125);
}

TEST_CASE("Value rankers: the model's time goes before the query's, 0 is the query's") {
    const ParameterMap fixed = {{"half_life", 1}, {"now", 5 * kDay}};
    CHECK(ValueScorer("value-decay", fixed, 9 * kDay).score(4 * kDay) == 0.5);
    CHECK(ValueScorer("value-decay", fixed, 9 * kDay).now() == 5 * kDay);
    const ParameterMap open = {{"half_life", 1}, {"now", 0}};
    CHECK(ValueScorer("value-decay", open, 9 * kDay).score(8 * kDay) == 0.5);
}

TEST_CASE("Value rankers: finite, not negative, within the bound", "[property]") {
    Random random(test::seed());
    for (const ValueRankerInfo& info : value_rankers()) {
        for (int round = 0; round < 300; ++round) {
            const double now = 1e9 * random.uniform();
            const ValueScorer scorer(info.name, random_value_parameters(random, info), now);
            CHECK(scorer.score(std::numeric_limits<double>::quiet_NaN()) == 0);
            double low = random_number(random);
            double high = random_number(random);
            if (high < low) std::swap(low, high);
            const double bound = scorer.upper_bound(low, high);
            CHECK((bound == scorer.score(low) || bound == scorer.score(high)));
            const double all = scorer.upper_bound(-kInfinity, kInfinity);
            for (int i = 0; i < 30; ++i) {
                const double number = random_number(random);
                const double score = scorer.score(number);
                REQUIRE((std::isfinite(score) && score >= 0));
                REQUIRE(score <= all * (1 + 1e-14));
                if (number >= low && number <= high) REQUIRE(score <= bound * (1 + 1e-14));
            }
        }
    }
}

TEST_CASE("Value rankers: what is wrong is refused, what each parameter does shows") {
    CHECK_THROWS_AS(ValueScorer("value-cube", {}, 0), UnknownComponent);
    CHECK_THROWS_WITH(ValueScorer("value-log", {{"scale", 0}}, 0), Contains("scale is 0"));
    CHECK_THROWS_WITH(ValueScorer("value-decay", {{"scale", 1}}, 0),
                      Contains("parameter of value-decay") && Contains("half_life"));
    CHECK_THROWS_WITH(ValueScorer("value-decay", {}, kInfinity), Contains("now"));
    for (const ValueRankerInfo& info : value_rankers()) {
        for (const ParameterInfo& parameter : info.parameters) {
            if (parameter.name == kSlotParameter) continue;
            const ValueScorer other(info.name, {{parameter.name, 2}}, 1e9);
            const ValueScorer usual(info.name, {}, 1e9);
            INFO(info.name << " " << parameter.name);
            CHECK(other.score(1e9 - 1000) != usual.score(1e9 - 1000));
        }
    }
}

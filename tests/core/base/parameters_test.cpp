// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/parameters.h"

#include <limits>

#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace {

const std::vector<braid::ParameterInfo> kInfos = {{"k1", 1.2, 0, 10, "saturation"},
                                                  {"b", 0.75, 0, 1, "length"}};

}  // namespace

TEST_CASE("Parameters: what is not given has its default, in the order of the infos") {
    CHECK(braid::resolve_parameters("bm25", kInfos, {}) == std::vector<double>{1.2, 0.75});
    CHECK(braid::resolve_parameters("bm25", kInfos, {{"b", 0.5}}) == std::vector<double>{1.2, 0.5});
}

TEST_CASE("Parameters: out of range, not finite and unknown ones are refused") {
    using braid::resolve_parameters;
    CHECK_THROWS_WITH(resolve_parameters("bm25", kInfos, {{"b", 2}}),
                      "bm25: b is 2, expected 0 to 1");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(resolve_parameters("bm25", kInfos, {{"k1", nan}}), braid::InvalidArgument);
    CHECK_THROWS_WITH(resolve_parameters("bm25", kInfos, {{"k2", 1}}),
                      Catch::Contains("unknown parameter of bm25 'k2'; did you mean 'k1'?"));
}

TEST_CASE("Parameters: a part of a whole number is refused, not cut") {
    const std::vector<braid::ParameterInfo> infos = {
        {"rounds", 10, 1, 1000, "at most", braid::kWhole}};
    CHECK(braid::resolve_parameters("x", infos, {{"rounds", 3}}) == std::vector<double>{3});
    CHECK_THROWS_WITH(braid::resolve_parameters("x", infos, {{"rounds", 2.7}}),
                      "x: rounds is 2.7, expected a whole number from 1 to 1000");
    CHECK(braid::why_not_allowed(infos[0], 1000).empty());
    CHECK(!braid::why_not_allowed(infos[0], 1001).empty());
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "braid/core/eval/measure.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using braid::test::run_braid;
using namespace braid::test;

TEST_CASE("braid measures: has a line for each measure there is") {
    const auto result = run_braid({"measures"});
    REQUIRE(result.code == 0);
    CHECK(result.err.empty());
    for (const braid::MeasureInfo& info : braid::measures()) {
        CHECK_THAT(result.out, Contains(info.name) && Contains(info.summary));
    }
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') ==
          static_cast<std::ptrdiff_t>(braid::measures().size()));
}

TEST_CASE("braid measures: --json says which cut-off each takes") {
    const auto result = run_braid({"measures", "--json"});
    REQUIRE(result.code == 0);
    const auto list = nlohmann::json::parse(result.out);
    REQUIRE(list.size() == braid::measures().size());
    std::size_t i = 0;
    for (const braid::MeasureInfo& info : braid::measures()) {
        CHECK(list[i].at("name") == info.name);
        const std::string cutoff = list[i].at("cutoff");
        const std::string name = info.name + (cutoff == "required" ? "@5" : "");
        CHECK(braid::make_measure(name) != nullptr);
        if (cutoff == "none") CHECK_THROWS(braid::make_measure(info.name + "@5"));
        ++i;
    }
}

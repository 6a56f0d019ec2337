// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/error.h"

#include "braid/core/base/registry.h"
#include "braid/tests/support/support.h"

namespace {

struct Thing {
    std::string name;
};

}  // namespace

TEST_CASE("Error: an unknown component lists what there is and suggests the nearest") {
    const braid::Registry<Thing> things("thing", {{"alpha"}, {"beta"}});
    CHECK(things.find("beta").name == "beta");
    CHECK(things.contains("alpha"));
    CHECK_FALSE(things.contains("gamma"));
    CHECK_THROWS_WITH(things.find("bata"),
                      "unknown thing 'bata'; did you mean 'beta'?; known: alpha, beta");
    CHECK_THROWS_AS(things.find("omega"), braid::UnknownComponent);
}

TEST_CASE("Error: a format error begins with file and line") {
    CHECK(std::string(braid::FormatError({"a.txt", 7}, "no id").what()) == "a.txt:7: no id");
    CHECK(std::string(braid::FormatError({"a.txt", 0}, "empty").what()) == "a.txt: empty");
}

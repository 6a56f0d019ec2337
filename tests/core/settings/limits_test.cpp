// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/limits.h"

#include <set>

#include "braid/tests/support/support.h"

using braid::limit_infos;
using braid::LimitInfo;
using braid::Limits;

TEST_CASE("Limits: the registry has every member once, with its default in its range") {
    CHECK(limit_infos().size() * sizeof(std::size_t) == sizeof(Limits));
    Limits limits;
    std::set<const std::size_t*> members;
    for (const LimitInfo& info : limit_infos()) {
        INFO(info.name);
        const std::size_t& value = limits.*info.value;
        CHECK(members.insert(&value).second);
        CHECK(value >= info.minimum);
        CHECK(value <= info.maximum);
        CHECK(info.summary.ends_with('.'));
    }
    CHECK(limits.time == 0);
}

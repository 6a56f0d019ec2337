// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_values.h"

#include <map>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

using Values = DocumentValues<std::uint32_t>;

TEST_CASE("DocumentValues: as a map has them, dense or sparse, in any order", "[property]") {
    Random random(seed());
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t most = std::uint64_t{1} << random.below(33);
        std::map<Xapian::docid, std::uint32_t> expected;
        std::vector<Values::Entry> entries;
        for (std::uint64_t i = random.below(200); i > 0; --i) {
            const auto docid = static_cast<Xapian::docid>(random.below(most));
            const auto value = static_cast<std::uint32_t>(random.below(1000));
            expected[docid] = value;
            entries.push_back({docid, value});
        }
        const Values values(entries, 4711);
        for (const auto& [docid, value] : expected) {
            CHECK(values.of(docid) == value);
            if (!expected.contains(docid + 1)) CHECK(values.of(std::size_t{docid} + 1) == 4711);
            if (docid > 0 && !expected.contains(docid - 1)) CHECK(values.of(docid - 1) == 4711);
        }
        CHECK(values.of(std::size_t{1} << 40) == 4711);
        // An array of 8 docids a value, or a list of entries.
        CHECK(values.bytes() <= 8 * sizeof(std::uint32_t) * (entries.size() + 1));
    }
}

TEST_CASE("DocumentValues: none at all") {
    const Values values;
    CHECK(values.of(0) == 0);
    CHECK(values.of(4294967295U) == 0);
    CHECK(values.bytes() == 0);
}

TEST_CASE("require_ascending: says which list, and what is wrong with it") {
    const auto list = [] { return std::string("value slot 7"); };
    require_ascending(0, 1, list);
    require_ascending(1, 4294967295U, list);
    try {
        require_ascending(5, 5, list);
        FAIL("nothing thrown");
    } catch (const Xapian::DatabaseCorruptError& error) {
        CHECK(error.get_msg() ==
              "value slot 7 has document 5 behind 5, expected ascending numbers from 1");
    }
    CHECK_THROWS_AS(require_ascending(0, 0, list), Xapian::DatabaseCorruptError);
}

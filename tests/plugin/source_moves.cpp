// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/source_moves.h"

#include <map>

#include "braid/tests/support/catch.h"

namespace braid::test {

std::size_t check_moves(Xapian::PostingSource& source, const Xapian::Database& database,
                        Random& random) {
    source.init(database);
    std::map<Xapian::docid, double> all;
    for (source.next(0); !source.at_end(); source.next(0)) {
        all[source.get_docid()] = source.get_weight();
    }
    source.init(database);
    for (Xapian::docid docid = 1;;) {
        docid += static_cast<Xapian::docid>(random.below(12));
        if (docid > 150) break;
        const auto expected = all.lower_bound(docid);
        const bool checks = random.below(2) == 0;
        if (checks && !source.check(docid, 0)) {
            REQUIRE_FALSE(all.contains(docid));
            source.next(0);
        } else if (!checks) {
            source.skip_to(docid, 0);
        }
        REQUIRE(source.at_end() == (expected == all.end()));
        if (source.at_end()) break;
        REQUIRE(source.get_docid() == expected->first);
        REQUIRE(source.get_weight() == expected->second);
        docid = source.get_docid() + 1;
    }
    return all.size();
}

}  // namespace braid::test

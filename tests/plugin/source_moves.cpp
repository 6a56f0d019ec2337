// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/source_moves.h"

#include <cmath>
#include <map>
#include <memory>

#include "braid/plugin/query/whole_match.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_search.h"
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

void check_bound(Xapian::PostingSource& source, const Xapian::Database& database,
                 const Xapian::Query& text, bool may_lose) {
    source.init(database);
    const double bound = source.get_maxweight();
    for (source.next(0); !source.at_end(); source.next(0)) REQUIRE(source.get_weight() <= bound);
    const Xapian::Query part(Xapian::Query::OP_SCALE_WEIGHT,
                             Xapian::Query(source.clone()->release()), 0.25);
    const Xapian::Query joined(Xapian::Query::OP_AND_MAYBE, text, part);
    const auto all = matches(database, Xapian::BM25Weight(), joined, 0, 200, 200);
    const Xapian::doccount check_at_least = may_lose ? safe_check(database, joined, 0) : 0;
    for (const Xapian::doccount count : {1U, 5U, 20U}) {
        const auto top = matches(database, Xapian::BM25Weight(), joined, 0, count, check_at_least);
        for (std::size_t i = 0; i < top.size(); ++i) {
            CHECK(std::abs(top[i].score - all[i].score) <= 1e-12 * all[i].score);
        }
    }
}

void check_sent(const Xapian::PostingSource& source, const Xapian::Database& database) {
    Xapian::Registry registry;
    CHECK(registry.get_posting_source(source.name()) == nullptr);
    register_all(registry);
    const Xapian::PostingSource* known = registry.get_posting_source(source.name());
    REQUIRE(known != nullptr);
    const Xapian::Query query(source.clone()->release());
    const Xapian::Query again = Xapian::Query::unserialise(query.serialise(), registry);
    CHECK(all_matches(database, Xapian::BM25Weight(), again) ==
          all_matches(database, Xapian::BM25Weight(), query));
    CHECK(again.get_description() == query.get_description());
    const std::unique_ptr<Xapian::PostingSource> back(known->unserialise(source.serialise()));
    CHECK(back->serialise() == source.serialise());
}

}  // namespace braid::test

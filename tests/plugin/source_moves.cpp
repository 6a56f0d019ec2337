// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/source_moves.h"

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/sources.h"
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

Scores matched(const Xapian::Database& database, const Xapian::PostingSource& source) {
    return all_matches(database, Xapian::BM25Weight(), Xapian::Query(source.clone()->release()));
}

void check_ranges(DocumentSource& source, const Xapian::Database& database) {
    const std::unique_ptr<DocumentSource> before(source.clone());
    const Scores weights = matched(database, *before);
    source.use_tables(std::make_shared<VectorTables>());
    source.use_postings(std::make_shared<PostingTables>());
    source.init(database);
    REQUIRE(source.prepare_ranges(database, true));
    std::vector<float> lifts(database.get_lastdocid() + std::size_t{1});
    source.lift(lifts);
    std::vector<Xapian::docid> documents;
    for (Xapian::docid d = 1; d < lifts.size(); ++d) documents.push_back(d);
    std::vector<PartRange> ranges(documents.size());
    source.ranges(documents, ranges);
    const PartRange other = source.other_range();
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const auto found = weights.find(documents[i]);
        const double weight = found == weights.end() ? 0 : found->second;
        INFO("document " << documents[i]);
        CHECK(ranges[i].least <= weight + 1e-12);
        CHECK(weight <= ranges[i].most + 1e-12);
        CHECK(weight <= other.most + double{lifts[documents[i]]} + 1e-12);
        if (database.get_doclength(documents[i]) == 0) continue;
        CHECK(other.least <= weight + 1e-12);
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

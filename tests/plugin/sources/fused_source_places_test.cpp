// SPDX-License-Identifier: GPL-2.0-or-later
// A FusedSource in queries of a program's own, beside and below other operators.
#include <string>
#include <utility>
#include <vector>

#include "braid/tests/plugin/fused_search.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

// The documents of `a`, or those that `b` has, too.
template <typename Join>
Scores joined(const Scores& a, const Scores& b, bool only_both, const Join& join) {
    Scores result;
    for (const auto& [docid, score] : a) {
        const auto other = b.find(docid);
        if (other == b.end() && only_both) continue;
        result[docid] = join(score, other == b.end() ? 0 : other->second);
    }
    return result;
}

Scores united(const Scores& a, const Scores& b) {
    Scores result = a;
    for (const auto& [docid, score] : b) result[docid] += score;
    return result;
}

Scores without(const Scores& a, const Scores& b) {
    Scores result = a;
    std::erase_if(result, [&](const auto& entry) { return b.contains(entry.first); });
    return result;
}

Xapian::Database stored(const TopicCorpus& corpus, const TemporaryFolder& folder,
                        std::size_t shards) {
    Xapian::Database all;
    for (std::size_t i = 0; i < shards; ++i) {
        const std::string path = (folder / std::to_string(i)).string();
        Xapian::WritableDatabase shard(path, Xapian::DB_CREATE | Xapian::DB_NO_SYNC);
        corpus.write_shard(shard, i, shards);
        shard.commit();
        all.add_database(Xapian::Database(path));
    }
    return all;
}

// By CoordWeight.
Scores of_term(const Xapian::Database& database, const std::string& term) {
    Scores result;
    for (auto at = database.postlist_begin(term); at != database.postlist_end(term); ++at) {
        result[*at] = 1;
    }
    return result;
}

}  // namespace

// What Xapian asks of a source differs by where it stands in a query, and for how many.
TEST_CASE("FusedSource: counts right wherever a query has it", "[property]") {
    for_random_searches(14, 8, [](const FusedSearch& search, Random& random) {
        const Scores scores = evaluated(search);
        const std::vector<std::string> words = search.corpus.corpus().random_words(random, 3);
        const FusionModel other = random_model(random, 2);
        for (const std::size_t shards : {1U, 2U, 4U}) {
            const Xapian::Database database = search.corpus.database(shards);
            const FusedSearch beside{search.corpus, other, words};
            const Query text(beside.source(database).clone()->release());
            const Scores texts = evaluated(beside);
            const FusedSource source = search.source(database);
            const Query fused = root(source);
            const auto both = [&](double a, double b) { return a + b; };
            const auto first = [&](double a, double) { return a; };
            const std::vector<std::pair<Query, Scores>> cases = {
                {Query(Query::OP_AND_MAYBE, text, fused), joined(texts, scores, false, both)},
                {Query(Query::OP_AND_MAYBE, Query("XEVEN"), fused),
                 joined(of_term(database, "XEVEN"), scores, false, both)},
                {Query(Query::OP_AND, text, fused), joined(texts, scores, true, both)},
                {Query(Query::OP_FILTER, text, fused), joined(texts, scores, true, first)},
                {Query(Query::OP_FILTER, fused, text), joined(scores, texts, true, first)},
                {Query(Query::OP_OR, text, fused), united(texts, scores)},
                {Query(Query::OP_AND, Query("XEVEN"), Query(Query::OP_OR, text, fused)),
                 joined(united(texts, scores), of_term(database, "XEVEN"), true, both)},
                {Query(Query::OP_AND_NOT, text, fused), without(texts, scores)},
                {Query(Query::OP_AND_NOT, fused, text), without(scores, texts)}};
            for (const auto& [query, expected] : cases) {
                INFO(shards << " shards, " << query.get_description());
                check_equal(all_matches(database, Xapian::CoordWeight(), query), expected, 1e-12);
            }
        }
    });
}

// On disk: Xapian 1.4 moves in-memory postings on that have ended, below an OR in an AND.
// Where Xapian prunes, an OR in an AND takes a source that answered no for one document as standing
// at the next. Documents may be missing (docs/guide/searching.md, Limitations); scores may not
// differ.
TEST_CASE("FusedSource: no page gives a document the score of another", "[property]") {
    std::size_t hits = 0;
    for_random_searches(15, 6, [&](const FusedSearch& search, Random& random) {
        const Scores scores = evaluated(search);
        const std::string a = "w" + std::to_string(random.below(6));
        const std::string b = "w" + std::to_string(6 + random.below(6));
        for (const std::size_t shards : {1U, 3U}) {
            const TemporaryFolder folder;
            const Xapian::Database database = stored(search.corpus, folder, shards);
            const Scores of_a = of_term(database, a);
            const Scores of_b = of_term(database, b);
            const Query fused = root(search.source(database));
            const auto both = [](double x, double y) { return x + y; };
            const Query either(Query::OP_OR, Query(a), fused);
            const Scores of_either = united(of_a, scores);
            const std::vector<std::pair<Query, Scores>> cases = {
                {either, of_either},
                {Query(Query::OP_AND, Query(b), either), joined(of_b, of_either, true, both)},
                {Query(Query::OP_AND_MAYBE, Query(b), either),
                 joined(of_b, of_either, false, both)},
                {Query(Query::OP_AND_MAYBE, either, Query(b)),
                 joined(of_either, of_b, false, both)},
                {Query(Query::OP_OR, Query(b), Query(Query::OP_AND, Query(a), fused)),
                 united(of_b, joined(of_a, scores, true, both))}};
            for (const auto& [query, expected] : cases) {
                for (const Xapian::doccount count : {1U, 3U, 10U}) {
                    INFO(shards << " shards, " << query.get_description());
                    for (const Hit& hit : top_of(database, query, count)) {
                        REQUIRE(hit.score == Approx(expected.at(hit.docid)).epsilon(1e-12));
                        ++hits;
                    }
                }
            }
        }
    });
    CHECK(hits > 1000);
}

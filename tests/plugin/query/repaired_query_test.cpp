// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/repaired_query.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_shapes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

Query word(Random& random, const RandomCorpus& corpus) {
    return Query("w" + std::to_string(random.below(corpus.vocabulary())));
}

// Two to four words and at least one phrase or NEAR, or a conjunction with one.
std::vector<Query> alternatives(Random& random, const RandomCorpus& corpus) {
    std::vector<Query> parts;
    for (std::size_t i = 1 + random.below(3); i > 0; --i) parts.push_back(word(random, corpus));
    for (std::size_t i = 1 + random.below(2); i > 0; --i) {
        const std::vector<Query> words = {word(random, corpus), word(random, corpus)};
        const Query near(random.below(2) == 0 ? Query::OP_PHRASE : Query::OP_NEAR, words.begin(),
                         words.end(), 2 + random.below(4));
        const Query both(Query::OP_AND, near, word(random, corpus));
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size())),
                     random.below(3) == 0 ? both : near);
    }
    return parts;
}

void add_to(Scores& sums, const Scores& more) {
    for (const auto& [docid, score] : more) sums[docid] += score;
}

Scores only(const Scores& scores, const Scores& which) {
    Scores kept;
    for (const auto& [docid, score] : scores) {
        if (which.contains(docid)) kept[docid] = score;
    }
    return kept;
}

}  // namespace

// What Xapian 1.4 by itself gets wrong in half of the first, and in some of the others.
TEST_CASE("Repaired query: an OR with phrases adds up its parts wherever it stands", "[property]") {
    Random random(seed());
    std::size_t found = 0;
    for (int i = 0; i < 10; ++i) {
        const RandomCorpus corpus(random, 60 + random.below(100), 10, 30);
        const Xapian::Database database = corpus.database(1 + random.below(3));
        const FusedWeight weight({.rankers = {{.ranker = "bm25"}, {.ranker = "dph"}}});
        const auto scores = [&](const Query& query) {
            return all_matches(database, weight, keep_phrases_apart(query));
        };
        for (int j = 0; j < 15; ++j) {
            const std::vector<Query> parts = alternatives(random, corpus);
            const Query any(Query::OP_OR, parts.begin(), parts.end());
            const Query must = word(random, corpus);
            const Query filter(random.below(2) == 0 ? "XODD" : "w9");
            INFO(must.get_description() << " and " << any.get_description());
            Scores sums;
            for (const Query& part : parts) add_to(sums, scores(part));
            const Scores musts = scores(must);
            const Scores filtered = scores(filter);
            Scores both = sums;
            add_to(both, musts);
            check_equal(scores(any), sums, 1e-9);
            check_equal(scores(Query(Query::OP_AND_MAYBE, must, any)), only(both, musts), 1e-9);
            check_equal(scores(Query(Query::OP_AND, must, any)), only(only(both, musts), sums),
                        1e-9);
            check_equal(scores(Query(Query::OP_FILTER, any, filter)), only(sums, filtered), 1e-9);
            // Of all parts of an AND Xapian joins what is optional, and what is excluded.
            const Query optional(Query::OP_AND, Query(Query::OP_AND_MAYBE, must, parts.front()),
                                 Query(Query::OP_AND_MAYBE, must, parts.back()));
            Scores joined = musts;
            for (const Query& part : {must, parts.front(), parts.back()}) {
                add_to(joined, scores(part));
            }
            check_equal(scores(optional), only(joined, musts), 1e-9);
            const Query left(Query::OP_AND, Query(Query::OP_AND_NOT, must, parts.front()),
                             Query(Query::OP_AND_NOT, must, parts.back()));
            Scores without = musts;
            add_to(without, musts);
            for (const Query& part : {parts.front(), parts.back()}) {
                for (const auto& [docid, score] : scores(part)) without.erase(docid);
            }
            check_equal(scores(left), without, 1e-9);
            found += sums.size();
        }
    }
    CHECK(found > 1000);
}

TEST_CASE("Repaired query: other queries stay as they are") {
    const Query phrase(Query::OP_PHRASE, Query("a"), Query("b"));
    const Query words(Query::OP_OR, Query("a"), Query("b"));
    for (const Query& query :
         {Query(), Query("a"), phrase, words, Query(Query::OP_AND_MAYBE, words, words),
          Query(Query::OP_FILTER, phrase, words), Query(Query::OP_AND, phrase, words)}) {
        CHECK(keep_phrases_apart(query).serialise() == query.serialise());
    }
    const Query either(Query::OP_OR, phrase, Query("c"));
    CHECK_FALSE(keep_phrases_apart(either).serialise() == either.serialise());
    const Query optional(Query::OP_AND_MAYBE, phrase, words);
    CHECK((keep_phrases_apart(optional).serialise() == optional.serialise()) == !kIsXapian2);
}

TEST_CASE("Repaired query: Xapian's own forms stay where that version is right") {
    const Query range(Query::OP_VALUE_RANGE, 1, "2", "4");
    const Query a("a");
    const Query b("b");
    const Query filtered(Query::OP_FILTER, a, range);
    const auto same = [](const Query& found, const Query& query) {
        return found.serialise() == query.serialise();
    };
    CHECK(same(keep_document_lengths(filtered), filtered) == kIsXapian2);
    for (const Query& part : {range, Query(Query::OP_AND_NOT, b, a)}) {
        CHECK(same(keep_phrases_apart(Query(Query::OP_OR, a, part)),
                   Query(Query::OP_OR, a, part)) == !kIsXapian2);
    }
    const Query most(Query::OP_AND_MAYBE, a, Query(Query::OP_MAX, a, b));
    CHECK(same(keep_phrases_apart(most), most) == !kIsXapian2);
    const Query excluded(Query::OP_AND_NOT, filtered, b);
    const Query first(Query::OP_FILTER, Query(Query::OP_AND_NOT, a, b), range);
    CHECK(same(keep_phrases_apart(excluded), kIsXapian2 ? first : excluded));
}

TEST_CASE("MatchSource: has the documents that a query matches, and is sent with it") {
    Random random(seed(), 3);
    const RandomCorpus corpus(random, 60, 8, 30);
    const Xapian::Database database = corpus.database(1);
    const Query phrase(Query::OP_PHRASE, Query("w0"), Query("w1"));
    const Scores expected = all_matches(database, Xapian::BoolWeight(), phrase);
    REQUIRE(expected.size() > 5);
    MatchSource source(phrase);
    Xapian::Registry registry;
    registry.register_posting_source(MatchSource());
    const std::unique_ptr<MatchSource> copy(
        source.unserialise_with_registry(source.serialise(), registry));
    for (const std::size_t shards : {1U, 3U}) {
        const Query found(copy->clone()->release());
        CHECK(all_matches(corpus.database(shards), Xapian::BoolWeight(), found) == expected);
    }
    copy->init(database);
    CHECK(copy->get_termfreq_max() == expected.size());
    for (Xapian::docid docid = 1; docid <= 60; ++docid) {
        REQUIRE(copy->check(docid, 0));
        const auto next = expected.lower_bound(docid);
        REQUIRE(copy->at_end() == (next == expected.end()));
        if (!copy->at_end()) REQUIRE(copy->get_docid() == next->first);
    }
    copy->skip_to(100, 0);
    copy->next(0);
    CHECK(copy->at_end());
    const std::string bytes = source.serialise();
    for (const std::string& junk : {std::string(), "\2" + bytes.substr(1), std::string("x"),
                                    bytes.substr(0, bytes.size() - 1)}) {
        CHECK_THROWS_AS(source.unserialise_with_registry(junk, registry),
                        Xapian::SerialisationError);
    }
    MatchSource of_nothing;
    of_nothing.init(database);
    of_nothing.next(0);
    CHECK(of_nothing.at_end());
}

// What it is for: parts that answer no, at every place that a query has.
TEST_CASE("Repaired query: parts that answer no are scored right at any place", "[property]") {
    Random random(seed(), 4);
    std::size_t found = 0;
    for (int i = 0; i < 12; ++i) {
        const RandomCorpus corpus(random, 60 + random.below(100), 10, 30);
        const Xapian::Database database = corpus.database(1 + random.below(4));
        const FusedWeight weight({.rankers = {{.ranker = "bm25"}}});
        const auto scores = [&](const Query& query) {
            return all_matches(database, weight, repaired_query(query));
        };
        for (int j = 0; j < 20; ++j) {
            const Query a = word(random, corpus);
            const Query b = word(random, corpus);
            const Query range(Query::OP_VALUE_RANGE, 1, "2", "4");
            const Query part = random.below(3) == 0   ? range
                               : random.below(2) == 0 ? Query(Query::OP_AND_NOT, a, b)
                                                      : Query(Query::OP_AND_NOT, range, b);
            const Query c = word(random, corpus);
            const Query d = word(random, corpus);
            INFO(part.get_description()
                 << " with " << c.get_description() << " and " << d.get_description());
            const Scores parts = scores(part);
            const Scores cs = scores(c);
            const Scores ds = scores(d);
            Scores either = parts;
            add_to(either, cs);
            check_equal(scores(Query(Query::OP_OR, part, c)), either, 1e-9);
            Scores both = either;
            add_to(both, ds);
            check_equal(scores(Query(Query::OP_AND, Query(Query::OP_OR, part, c), d)),
                        only(only(both, ds), either), 1e-9);
            check_equal(scores(Query(Query::OP_FILTER, d, Query(Query::OP_OR, part, c))),
                        only(ds, either), 1e-9);
            check_equal(scores(Query(Query::OP_AND_MAYBE, Query(Query::OP_AND_MAYBE, d, part), c)),
                        only(both, ds), 1e-9);
            Scores optional = parts;
            add_to(optional, ds);
            check_equal(scores(Query(Query::OP_AND_MAYBE, part, d)), only(optional, parts), 1e-9);
            found += parts.size();
        }
    }
    CHECK(found > 1000);
}

TEST_CASE("Repaired query: what excludes or filters has no part that only adds weight") {
    const auto maybe = [](const Query& a, const Query& b) {
        return Query(Query::OP_AND_MAYBE, a, b);
    };
    const Query a("a");
    const Query b("b");
    const Query c("c");
    const auto dropped = [](Query::op op, const Query& left, const Query& right) {
        return drop_idle_parts(Query(op, left, right)).get_description();
    };
    CHECK(dropped(Query::OP_AND_NOT, maybe(a, b), maybe(b, c)) ==
          "Query(((a AND_MAYBE b) AND_NOT b))");
    CHECK(dropped(Query::OP_FILTER, a, Query(Query::OP_OR, a, maybe(maybe(b, c), a))) ==
          "Query((a FILTER (a OR b)))");
    CHECK(dropped(Query::OP_AND, maybe(a, b), Query(Query::OP_AND_NOT, c, maybe(a, b))) ==
          "Query(((a AND_MAYBE b) AND (c AND_NOT a)))");
    CHECK(dropped(Query::OP_AND_MAYBE, a, maybe(b, c)) == "Query((a AND_MAYBE (b AND_MAYBE c)))");
    CHECK(drop_idle_parts(Query()).empty());
}

TEST_CASE("Repaired query: a search that Xapian runs gives every page of the whole ranking",
          "[property]") {
    Random random(seed(), 1);
    std::size_t several = 0;
    on_random_corpora(random, 12, 10, 20, [&](const TopicCorpus& corpus, Searcher& searcher) {
        for (int j = 0; j < 8; ++j) {
            FusionModel model = bm25_and_lsa(static_cast<double>(random.below(3)));
            model.rankers.push_back({.ranker = "pl2", .weight = random.uniform()});
            searcher.rank_by(model);
            SearchRequest request = request_of(random_shape(random, corpus.corpus(), 3, false));
            request.path = SearchRequest::Path::kPlain;
            INFO(request.query->get_description());
            const SearchResult all = searcher.search(request);
            request.first = static_cast<Xapian::doccount>(random.below(3));
            request.count = static_cast<Xapian::doccount>(1 + random.below(5));
            const SearchResult page = searcher.search(request);
            const std::size_t left =
                all.hits.size() - std::min<std::size_t>(request.first, all.hits.size());
            REQUIRE(page.hits.size() == std::min<std::size_t>(request.count, left));
            for (std::size_t k = 0; k < page.hits.size(); ++k) {
                CHECK(page.hits[k].docid == all.hits[request.first + k].docid);
                CHECK(page.hits[k].score == all.hits[request.first + k].score);
            }
            several += page.hits.size() > 1 ? 1 : 0;
        }
    });
    CHECK(several > 50);
}

namespace {

// Finds all documents, but says of each that it is asked about that it is none of its own.
class DenyingSource : public Xapian::PostingSource {
  public:
    Xapian::doccount get_termfreq_min() const override { return 1; }
    Xapian::doccount get_termfreq_est() const override { return last_; }
    Xapian::doccount get_termfreq_max() const override { return last_; }
    void init(const Xapian::Database& database) override {
        last_ = database.get_lastdocid();
        docid_ = 0;
    }
    void next(double) override { ++docid_; }
    void skip_to(Xapian::docid docid, double) override { docid_ = std::max(docid_, docid); }
    bool check(Xapian::docid, double) override { return false; }
    bool at_end() const override { return docid_ > last_; }
    Xapian::docid get_docid() const override { return docid_; }
    DenyingSource* clone() const override { return new DenyingSource; }

  private:
    Xapian::docid docid_ = 0;
    Xapian::docid last_ = 0;
};

}  // namespace

TEST_CASE("NeverSource: an AND of it ends, whatever its other part says") {
    Random random(seed(), 3);
    const Xapian::Database database = RandomCorpus(random, 20, 5, 10).database();
    const Query denying((new DenyingSource)->release());
    const Query nothing((new NeverSource)->release());
    CHECK(all_matches(database, Xapian::BoolWeight(), Query(Query::OP_AND, nothing, denying))
              .empty());
    CHECK(all_matches(database, Xapian::BoolWeight(), Query(Query::OP_AND, denying, nothing))
              .empty());
}

TEST_CASE("NeverSource: stands behind all documents, and is read from its own bytes only") {
    Random random(seed(), 2);
    const Xapian::Database database = RandomCorpus(random, 20, 5, 10).database();
    const Query nothing((new NeverSource)->release());
    CHECK(all_matches(database, Xapian::BoolWeight(),
                      Query(Query::OP_AND_NOT, Query::MatchAll, nothing))
              .size() == 20);
    NeverSource source;
    source.init(database);
    source.next(0);
    CHECK_FALSE(source.at_end());
    CHECK(source.get_docid() > database.get_lastdocid());
    const std::unique_ptr<NeverSource> again(source.unserialise(source.serialise()));
    CHECK(again->name() == source.name());
    CHECK_THROWS_AS(source.unserialise("x"), Xapian::SerialisationError);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/proximity_scorer.h"
#include "braid/sources.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Path = SearchRequest::Path;
using Xapian::Query;

namespace {

FusionModel with_proximity(double weight, const ParameterMap& parameters = {}) {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "proximity", .parameters = parameters, .weight = weight}}};
}

enum class Stems { kPlain, kWithPositions };

// Documents as TermGenerator makes them, each also under the prefix S.
Xapian::WritableDatabase database_of(const std::vector<std::string>& texts, Stems stems,
                                     bool positions = true) {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (const std::string& text : texts) {
        Xapian::Document document;
        Xapian::TermGenerator generator;
        generator.set_stemmer(Xapian::Stem("english"));
        generator.set_stemming_strategy(stems == Stems::kPlain
                                            ? Xapian::TermGenerator::STEM_SOME
                                            : Xapian::TermGenerator::STEM_SOME_FULL_POS);
        for (const std::string prefix : {"", "S"}) {
            generator.set_document(document);
            generator.set_termpos(0);
            if (positions) {
                generator.index_text(text, 1, prefix);
            } else {
                generator.index_text_without_positions(text, 1, prefix);
            }
        }
        database.add_document(document);
    }
    database.commit();
    return database;
}

Query any_of(const std::vector<std::string>& terms) {
    return {Query::OP_OR, terms.begin(), terms.end()};
}

ProximityQuery read(const Xapian::Database& database, const std::vector<std::string>& terms) {
    WordForms forms(database, Xapian::Stem("english"));
    return read_proximity_query(database, any_of(terms), forms, {});
}

// What proximity gives each document that has any of the terms.
Scores proximity_of(const Xapian::Database& database, const std::vector<std::string>& terms) {
    const FusedSource source(FusionModel{.rankers = {}}, read_bag_of_words(database, any_of(terms)),
                             {}, {}, {{read(database, terms), 1}});
    return all_of(database, source);
}

const std::vector<std::string> kTexts = {
    "a memory leak in the library",
    "leaks of memories are found",
    "memory of the day, and of many other days, never leaks here at all",
    "nothing to see",
    "memory",
    "the leaking of memory, a memory leak"};

}  // namespace

TEST_CASE("Proximity: the forms of a stem are the database's words that have it") {
    const Xapian::Database database = database_of(kTexts, Stems::kPlain);
    const ProximityQuery query = read(database, {"Zmemori", "Zleak", "nothing"});
    REQUIRE(query.words.size() == 3);
    CHECK(query.words[0].forms == std::vector<std::string>{"memories", "memory"});
    CHECK(query.words[1].forms == std::vector<std::string>{"leak", "leaking", "leaks"});
    CHECK(query.words[2].forms == std::vector<std::string>{"nothing"});
    CHECK(query.words[2].rarity > query.words[0].rarity);
    CHECK(read(database, {"Zmemori"}).words[0].forms.empty());
    CHECK(read(database_of(kTexts, Stems::kWithPositions), {"Zmemori", "Zleak"}).words[0].forms ==
          std::vector<std::string>{"Zmemori"});
    // One word under two prefixes, and the same word twice.
    const ProximityQuery other =
        read(database, {"Zmemori", "ZSmemori", "Zleak", "ZSleak", "Zleak", "Zleak"});
    REQUIRE(other.words.size() == 4);
    CHECK(other.words[0].terms == 2);
    CHECK(other.words[0].forms ==
          std::vector<std::string>{"memories", "memory", "Smemories", "Smemory"});
    CHECK(other.words[3].terms == 1);
    CHECK(other.terms() == 6);
}

TEST_CASE("Proximity: stems are found by the places of their forms, or by their own") {
    const Scores expected = proximity_of(database_of(kTexts, Stems::kPlain), {"Zmemori", "Zleak"});
    const Scores found =
        proximity_of(database_of(kTexts, Stems::kWithPositions), {"Zmemori", "Zleak"});
    check_equal(found, expected, 1e-12);
    CHECK(expected.at(1) > expected.at(2));
    CHECK(expected.at(2) > 0);
    CHECK(expected.at(3) == 0);  // Far apart.
    CHECK(expected.at(5) == 0);
    CHECK(expected.at(6) > expected.at(2));
    CHECK(proximity_of(database_of(kTexts, Stems::kPlain), {"Zleak", "Zmemori"}).at(1) <
          expected.at(1));
    // "library" has no pair, "memory leak" has under both prefixes.
    const Scores both = proximity_of(database_of(kTexts, Stems::kPlain),
                                     {"Zmemori", "ZSmemori", "Zleak", "ZSleak"});
    CHECK(both.at(1) > 0);
    CHECK(both.at(5) == 0);
}

TEST_CASE("Proximity: a word twice is a pair of its own occurrences") {
    const Xapian::Database database =
        database_of({"duran duran sings", "duran sings", "duran has a cat duran"}, Stems::kPlain);
    const Query twice(Query::OP_OR, Query("duran"), Query("duran"));
    WordForms forms(database, {});
    const ProximityQuery query = read_proximity_query(database, twice, forms, {});
    REQUIRE(query.words.size() == 2);
    ProximityScorer scorer(std::make_shared<const ProximityQuery>(query), database);
    const std::vector<double> two = {2, 2}, one = {1, 1};
    const double adjacent = scorer.score(1, two, 3);
    CHECK(scorer.note() == "duran duran: 1 adjacent, 1 near");
    CHECK(scorer.score(2, one, 2) == 0);
    const double near = scorer.score(3, two, 3);
    CHECK(scorer.note() == "duran duran: 0 adjacent, 1 near");
    CHECK(near > 0);
    CHECK_THAT(adjacent, WithinRel(3 * near, 1e-12));
    CHECK(scorer.score(1, two, 3) == adjacent);  // Documents may descend.
    CHECK(scorer.without_positions() == 0);
}

TEST_CASE("Proximity: no windows count beyond the occurrences, whatever the database says") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::Document document;
    for (Xapian::termpos i = 1; i < 40; ++i) document.add_posting(i % 2 == 0 ? "a" : "b", i, 0);
    document.add_term("a", 1);
    document.add_term("b", 2);
    database.add_document(document);
    const auto query = std::make_shared<const ProximityQuery>(read(database, {"a", "b"}));
    ProximityScorer scorer(query, database);
    const std::vector<double> counts = {1, 2};
    CHECK(scorer.score(1, counts, 3) <= scorer.bound(counts, 3));
    CHECK(scorer.score(1, counts, 3) > 0);
}

TEST_CASE("Proximity in a search: every way scores as the naive sum", "[property]") {
    Random random(seed());
    for (int round = 0; round < 6; ++round) {
        const TopicCorpus corpus(random, 100, 12 + random.below(20));
        const ParameterMap parameters = {{"window", 4}, {"ordered", 0.4}, {"k1", 2}, {"b", 0.3}};
        FusionModel model = with_proximity(0.7, parameters);
        if (round % 2 == 1) model.rankers.push_back({.ranker = "lsa", .weight = 3});
        for (const std::size_t shards : {1U, 3U}) {
            const TemporaryFolder folder;
            const Xapian::Database database = corpus.database(shards);
            FusedSearch search{corpus, model, corpus.corpus().random_words(random, 4)};
            search.proximities = {{{4, 0.4, 2, 0.3}, 0.7}};
            FusionModel rest = model;
            rest.rankers.erase(rest.rankers.begin() + 1);
            Scores expected = naive(corpus, rest, search.words);
            Scores alone;
            for (auto& [docid, score] : expected) {
                alone[docid] = naive_proximity(search, search.proximities[0], database, docid);
                score += 0.7 * alone[docid];
            }
            SearchRequest request = request_of(search.text());
            for (const Path path : {Path::kFastest, Path::kPlain}) {
                request.path = path;
                check_equal(searched(database, model, request), expected, 1e-9);
                SearchRequest few = request;
                few.count = 3;
                few.explain = true;
                Searcher searcher(database);
                searcher.rank_by(model);
                const SearchResult result = searcher.search(few);
                CHECK(result.run.pruned == (path == Path::kFastest));
                CHECK_THAT(result.run.path, Contains("words' positions (proximity)"));
                for (const SearchHit& hit : result.hits) {
                    CHECK(hit.score == Approx(expected.at(hit.docid)).epsilon(1e-9));
                    check_explanation(hit);
                    CHECK(*hit.explanation->rankers[1].value ==
                          Approx(alone.at(hit.docid)).epsilon(1e-9));
                }
            }
            // As training sees it.
            std::vector<Xapian::docid> documents;
            for (const auto& [docid, score] : alone) documents.push_back(docid);
            if (documents.empty()) continue;
            PoolScorer pools(database,
                             {.rankers = {{.ranker = "proximity", .parameters = parameters}}});
            const PoolScores pool = pools.score(search.text(), documents);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                CHECK(pool.rows.scores[i] == Approx(alone.at(documents[i])).epsilon(1e-9));
                CHECK(pool.rows.scores[i] <= pool.rows.bounds[0]);
            }
        }
    }
}

TEST_CASE("Proximity in a search: few positions are read for a few results") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 2000, 20);
    const Xapian::Database database = corpus.database();
    FusedSearch search{corpus, {}, {"w0", "w1"}};
    search.proximities = {{{}, 0.3}};
    const auto read_for = [&](Xapian::doccount count) {
        const FusedSource source = search.source(database);
        check_same(top_of(database, root(source), count), ranked(evaluated(search), 0, count));
        return source.counters().positions_read;
    };
    const std::uint64_t all = read_for(2000);
    CHECK(all > 500);
    CHECK(read_for(5) < all / 4);
}

TEST_CASE("Proximity: a database without positions is refused, a document without is counted") {
    const Xapian::Database bare = database_of(kTexts, Stems::kPlain, false);
    Searcher searcher(bare);
    searcher.rank_by(with_proximity(0.3));
    const std::string why = error_of([&] {
        searcher.search(request_of(any_of({"Zmemori", "Zleak"})));
    });
    CHECK_THAT(why, Contains("ranker proximity: the database has no positions of words"));
    CHECK_THROWS_AS(searcher.search(request_of(any_of({"Zmemori"}))), ModelMismatch);
    Xapian::WritableDatabase mixed = database_of(kTexts, Stems::kPlain);
    Xapian::Document document;
    document.add_term("Zmemori", 2);
    document.add_term("Zleak");
    mixed.add_document(document);
    for (const Path path : {Path::kFastest, Path::kPlain}) {
        Searcher other(mixed);
        other.rank_by(with_proximity(0.3));
        SearchRequest request = request_of(any_of({"Zmemori", "Zleak"}));
        request.path = path;
        const SearchResult result = other.search(request);
        CHECK(result.run.counters.without_positions == 1);
        CHECK(result.hits.size() == 6);
    }
}

TEST_CASE("Proximity: serialised queries come back; other terms are refused", "[property]") {
    BagOfWords bag;
    bag.collection = {100, 2000};
    bag.length = 2;
    bag.terms = {{"Zone", 1, 10, 20}, {"two", 1, 4, 4}};
    const ProximityQuery query{
        {5, 0.25, 1.5, 0.5}, 20, {{1, 0.5, {"one", "ones"}}, {1, 0.75, {"two"}}}};
    const FusedSource source({}, bag, {}, {}, {{query, 2}});
    Random random(seed(), 6);
    check_bytes(FusedSource(), source.serialise(), random);
    ProximityQuery shorter = query;
    shorter.words.pop_back();
    CHECK_THROWS_WITH(FusedSource({}, bag, {}, {}, {{shorter, 2}}),
                      Contains("proximity of 1 terms, expected the bag's 2"));
    CHECK_THROWS_AS(FusedSource({}, bag, {}, {}, {{query, -1}}), InvalidArgument);
}

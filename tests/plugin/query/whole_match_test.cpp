// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/whole_match.h"

#include <algorithm>
#include <string>
#include <vector>

#include "braid/plugin/database/xapian_version.h"
#include "braid/tests/plugin/search/searcher_paths.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

Query simple_part(Random& random, const RandomCorpus& corpus) {
    Query words = bag_of_words(corpus.random_words(random, 3));
    Query word("w" + std::to_string(random.below(8)));
    switch (random.below(5)) {
        case 0:
            return {Query::OP_AND, words, word};
        case 1:
            return {Query::OP_AND_NOT, words, word};
        case 2:
            return {Query::OP_PHRASE, Query("w0"), Query("w1")};
        case 3:
            return word;
        default:
            return words;
    }
}

// Around or within it the other operators.
Query with_xor_or_max(Random& random, const RandomCorpus& corpus) {
    const auto part = [&] { return simple_part(random, corpus); };
    const Query::op op = random.below(2) == 0 ? Query::OP_XOR : Query::OP_MAX;
    Query core = random.below(8) == 0 ? Query(Query::OP_WILDCARD, "w1", 0,
                                              Query::WILDCARD_LIMIT_ERROR, Query::OP_MAX)
                                      : Query(op, part(), part());
    const Query words = bag_of_words(corpus.random_words(random, 4));
    switch (random.below(4)) {
        case 0:
            return core;
        case 1:
            return {Query::OP_FILTER, words, core};
        case 2:
            return {Query::OP_AND_NOT, words, core};
        default:
            return {Query::OP_OR, words, core};
    }
}

}  // namespace

// Xapian 1.4 crashes on these where it prunes.
TEST_CASE("Whole match: XOR and OP_MAX give every page of the whole ranking, on any shards",
          "[property]") {
    Random random(seed());
    std::size_t pages = 0;
    on_random_corpora(random, 10, 8, 10, [&](const TopicCorpus& corpus, Searcher& searcher) {
        for (int j = 0; j < 6; ++j) {
            const Query query = with_xor_or_max(random, corpus.corpus());
            INFO(query.get_description());
            FusionModel model = random_topic_model(random);
            if (random.below(3) == 0) model.rankers.push_back({.ranker = "lsa-feedback"});
            searcher.rank_by(model);
            const SearchResult all = searcher.search(request_of(query, 300));
            SearchRequest request = request_of(query);
            request.count = static_cast<Xapian::doccount>(1 + random.below(10));
            request.first = static_cast<Xapian::doccount>(random.below(4));
            const SearchResult page = searcher.search(request);
            INFO(page.run.path);
            // Xapian 2 may prune, and estimates then.
            REQUIRE((kIsXapian2 || page.matches == all.hits.size()));
            for (std::size_t k = 0; k < page.hits.size(); ++k) {
                REQUIRE(page.hits[k].docid == all.hits[request.first + k].docid);
                REQUIRE(page.hits[k].score == all.hits[request.first + k].score);
                ++pages;
            }
        }
    });
    CHECK(pages > 500);
}

TEST_CASE("Whole match: a query by text that has XOR finds what has one of the words") {
    Random random(seed());
    const TopicCorpus corpus(random, 150, 12);
    for (const std::size_t shards : {1U, 5U}) {
        Searcher searcher(corpus.database(shards));
        searcher.rank_by(bm25_and_lsa(2));
        const SearchResult found = searcher.search({.text = "w1 XOR w2", .count = 3});
        Xapian::doccount expected = 0;
        for (Xapian::docid docid = 1; docid <= 150; ++docid) {
            const std::vector<std::string>& words = corpus.corpus().words(docid);
            const auto has = [&](const char* word) {
                return std::find(words.begin(), words.end(), word) != words.end();
            };
            expected += has("w1") != has("w2") ? 1 : 0;
        }
        CHECK(found.hits.size() == 3);
        CHECK((kIsXapian2 || found.matches == expected));
        CHECK((found.run.path.find("every match is scored") == std::string::npos) == kIsXapian2);
    }
}

TEST_CASE("Whole match: all of a query is looked through") {
    const Query a("a");
    const Query b("b");
    const Query either(Query::OP_XOR, a, b);
    const Query wild(Query::OP_WILDCARD, "a", 0, Query::WILDCARD_LIMIT_ERROR, Query::OP_MAX);
    for (const Query& query :
         {either, Query(Query::OP_MAX, a, b), Query(Query::OP_FILTER, a, either), wild,
          Query(Query::OP_SCALE_WEIGHT, Query(Query::OP_OR, a, either), 0.5)}) {
        INFO(query.get_description());
        CHECK(may_prune(query) == kIsXapian2);
    }
    for (const Query& query : {Query(), a, Query::MatchAll, Query(Query::OP_OR, a, b),
                               Query(Query::OP_WILDCARD, "a"), Query("WILDCARD MAX")}) {
        INFO(query.get_description());
        CHECK(may_prune(query));
    }
}

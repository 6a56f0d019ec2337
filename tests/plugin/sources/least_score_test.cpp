// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <string>
#include <vector>

#include "braid/tests/plugin/random_shapes.h"
#include "braid/tests/plugin/search/searcher_paths.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

// RandomCorpus's slot 1.
std::string value_of(const SearchHit& hit) { return std::to_string((hit.docid - 1) % 7); }

struct Expected {
    std::vector<SearchHit> hits;
    std::map<std::string, Xapian::doccount> facets;
    std::map<std::string, Xapian::doccount> collapsed;
};

// What is left of a whole ranking.
Expected cut(const SearchResult& all, const SearchRequest& request) {
    Expected expected;
    std::map<std::string, Xapian::doccount> kept;
    for (const SearchHit& hit : all.hits) {
        if (hit.score < request.min_score) continue;
        const std::string value = value_of(hit);
        ++expected.facets[value];
        if (request.collapse && ++kept[value] > request.collapse->keep) {
            ++expected.collapsed[value];
            continue;
        }
        expected.hits.push_back(hit);
    }
    return expected;
}

SearchRequest random_order(Random& random, const Query& query) {
    SearchRequest request = request_of(query, 300);
    request.path = SearchRequest::Path::kPlain;
    if (random.below(3) == 0) request.sort = SortBy{1, random.below(2) == 0};
    if (random.below(3) == 0) {
        request.collapse = Collapse{1, static_cast<Xapian::doccount>(1 + random.below(3))};
    }
    return request;
}

void check_page(const SearchResult& found, const Expected& expected, const SearchRequest& request) {
    // Where nothing is joined loosely Xapian cuts off, and estimates.
    const bool is_counted = found.run.path.find("every match is scored") != std::string::npos;
    if (is_counted) {
        REQUIRE(found.matches == expected.hits.size());
        REQUIRE(found.matches_at_least == found.matches);
        REQUIRE(found.matches_at_most == found.matches);
    }
    const std::size_t first = std::min<std::size_t>(request.first, expected.hits.size());
    REQUIRE(found.hits.size() ==
            std::min<std::size_t>(request.count, expected.hits.size() - first));
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
        const SearchHit& hit = found.hits[i];
        REQUIRE(hit.docid == expected.hits[first + i].docid);
        REQUIRE(hit.score == expected.hits[first + i].score);
        REQUIRE(hit.rank == first + i + 1);
        const auto collapsed = expected.collapsed.find(value_of(hit));
        const std::size_t wanted = collapsed == expected.collapsed.end() ? 0 : collapsed->second;
        REQUIRE((is_counted ? hit.collapsed == wanted : hit.collapsed <= wanted));
    }
}

// A score between two that the ranking has, or beyond all.
double random_least(Random& random, const SearchResult& all) {
    const double a = all.hits[random.below(all.hits.size())].score;
    const double b = all.hits[random.below(all.hits.size())].score;
    return random.below(20) == 0 ? 2 * (a + b) + 1 : (a + b) / 2;
}

}  // namespace

TEST_CASE("Least score: results are those of the whole ranking that have it, on any shards",
          "[property]") {
    Random random(seed());
    std::size_t some = 0;
    on_random_corpora(random, 12, 8, 10, [&](const TopicCorpus& corpus, Searcher& searcher) {
        for (int j = 0; j < 8; ++j) {
            const Query query = random_shape(random, corpus.corpus(), 3, false);
            const FusionModel model = random_topic_model(random);
            const bool by_xapian = random.below(5) == 0;
            INFO(query.get_description());
            if (by_xapian) {
                searcher.rank_by(Xapian::BM25Weight());
            } else {
                searcher.rank_by(model);
            }
            SearchRequest request = random_order(random, query);
            SearchRequest whole = request;
            whole.collapse.reset();
            whole.check_at_least = 300;
            const SearchResult all = searcher.search(whole);
            if (all.hits.empty()) continue;
            request.min_score = random_least(random, all);
            if (!(request.min_score > 0)) continue;
            const Expected expected = cut(all, request);
            some += !expected.hits.empty() && expected.hits.size() < all.hits.size() ? 1 : 0;
            Xapian::ValueCountMatchSpy spy(1);
            request.spies = {&spy};
            check_page(searcher.search(request), expected, request);
            std::map<std::string, Xapian::doccount> facets;
            for (auto value = spy.values_begin(); value != spy.values_end(); ++value) {
                facets[*value] = value.get_termfreq();
            }
            REQUIRE(facets == expected.facets);
            request.spies.clear();
            request.first = static_cast<Xapian::doccount>(random.below(12));
            request.count = static_cast<Xapian::doccount>(random.below(12));
            check_page(searcher.search(request), expected, request);
        }
    });
    CHECK(some > 100);
}

TEST_CASE("Least score: the run says that results are left out afterwards, and is explained") {
    Random random(seed());
    const TopicCorpus corpus(random, 90, 14);
    Searcher searcher(corpus.database(3));
    searcher.rank_by(bm25_and_lsa(2));
    SearchRequest request = request_of(
        Query(Query::OP_OR, Query(Query::OP_PHRASE, Query("w0"), Query("w1")), Query("w9")));
    const SearchResult all = searcher.search(request);
    REQUIRE(all.hits.size() > 4);
    request.min_score = all.hits[3].score;
    request.explain = true;
    const SearchResult found = searcher.search(request);
    REQUIRE(found.hits.size() == 4);
    CHECK_THAT(found.run.path, Catch::Matchers::Contains("chosen afterwards"));
    for (const SearchHit& hit : found.hits) {
        double sum = 0;
        for (const RankerExplanation& ranker : hit.explanation->rankers) sum += ranker.contribution;
        CHECK(hit.score == Approx(sum).epsilon(1e-9));
    }
}

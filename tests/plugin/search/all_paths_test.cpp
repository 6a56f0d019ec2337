// SPDX-License-Identifier: GPL-2.0-or-later
// What a request may ask for beside words, on every path that Searcher has, and through Ranking on
// an Enquire of one's own.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "braid/core/model/model_function.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kDocuments = 90;

FusionModel one_pass() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lsa", .weight = 2},
                        {.ranker = "lm-dirichlet", .weight = 0.2}}};
}

// A sum, so that no other document changes a score, but one that no pass serves.
FusionModel two_passes() {
    FusionModel model = one_pass();
    set_model_function(model, LinearFunction{{1, 2, -0.01}});
    return model;
}

struct SearchPath {
    std::string name;
    FusionModel model;
    SearchRequest::Path path = SearchRequest::Path::kFastest;
    bool twice = false;
};

std::vector<SearchPath> paths() {
    return {{"plain", one_pass(), SearchRequest::Path::kPlain},
            {"fastest", one_pass()},
            {"rescored", two_passes(), SearchRequest::Path::kFastest, true}};
}

Query words(Random& random, Query::op op, std::size_t count, Xapian::termcount window = 0) {
    std::vector<Query> terms;
    for (std::size_t i = 0; i < count; ++i)
        terms.emplace_back("w" + std::to_string(random.below(14)));
    return {op, terms.begin(), terms.end(), window};
}

Query random_part(Random& random) {
    switch (random.below(6)) {
        case 0:
            return words(random, Query::OP_PHRASE, 2, 2);
        case 1:
            return words(random, Query::OP_NEAR, 2, 5);
        case 2:
            return words(random, Query::OP_SYNONYM, 2);
        case 3:
            return {Query::OP_WILDCARD, "w1"};
        case 4:
            return words(random, Query::OP_AND, 2);
        default:
            return {Query::OP_VALUE_RANGE, 1, "2", "4"};
    }
}

// Phrases, NEAR, synonyms, wildcards and ranges beside words, or as filters around them.
SearchRequest random_search(Random& random, const RandomCorpus& corpus) {
    const Query text = bag_of_words(corpus.random_words(random, 4));
    SearchRequest request = request_of(text, kDocuments);
    switch (random.below(4)) {
        case 0:
            request.query = Query(Query::OP_OR, text, random_part(random));
            break;
        case 1:
            request.query = Query(Query::OP_AND_NOT, text, random_part(random));
            break;
        default:
            request.filter = random_part(random);
            break;
    }
    return request;
}

Query whole(const SearchRequest& request) {
    return request.filter ? Query(Query::OP_FILTER, *request.query, *request.filter)
                          : *request.query;
}

// RandomCorpus's slot 1.
std::string value_of(const SearchHit& hit) { return std::to_string((hit.docid - 1) % 7); }

// Calls `check(searcher, request, all, path)` for every path, with all that the request finds.
void for_every_path(std::uint64_t stream,
                    const std::function<void(Searcher&, SearchRequest, const SearchResult&,
                                             const SearchPath&)>& check) {
    Random random(seed(), stream);
    const TopicCorpus corpus(random, kDocuments, 14);
    for (const std::size_t shards : {1U, 3U}) {
        Searcher searcher(corpus.database(shards));
        for (int round = 0; round < 25; ++round) {
            SearchRequest request = random_search(random, corpus.corpus());
            if (request.query->empty()) continue;
            for (const SearchPath& path : paths()) {
                INFO(path.name << ", " << shards << " shards, "
                               << whole(request).get_description());
                request.path = path.path;
                searcher.rank_by(path.model);
                const SearchResult all = searcher.search(request);
                REQUIRE(
                    all.hits.size() ==
                    all_matches(searcher.database(), Xapian::BoolWeight(), whole(request)).size());
                CHECK(all.run.rescored == (path.twice ? all.hits.size() : 0));
                check_ranking(searcher.database(), path.model, request, all);
                check(searcher, request, all, path);
            }
        }
    }
}

}  // namespace

TEST_CASE("All paths: each scores as the pool's rows weighed and added up", "[property]") {
    std::size_t pruned = 0;
    for_every_path(0, [&](Searcher& searcher, const SearchRequest& request, const SearchResult& all,
                          const SearchPath& path) {
        pruned += all.run.pruned ? 1 : 0;
        const std::vector<double> weights =
            path.twice ? std::vector{1.0, 2.0, -0.01} : std::vector{1.0, 2.0, 0.2};
        std::vector<Xapian::docid> documents;
        for (const SearchHit& hit : all.hits) documents.push_back(hit.docid);
        std::sort(documents.begin(), documents.end());
        const PoolScores rows =
            PoolScorer(searcher.database(), path.model).score(whole(request), documents);
        for (const SearchHit& hit : all.hits) {
            const auto at = std::lower_bound(documents.begin(), documents.end(), hit.docid);
            const auto row = 3 * static_cast<std::size_t>(at - documents.begin());
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k) sum += weights[k] * rows.rows.scores[row + k];
            REQUIRE(std::abs(hit.score - sum) <= 1e-9 * std::abs(sum) + 1e-12);
        }
    });
    CHECK(pruned > 10);
}

TEST_CASE("All paths: sorting by a value keeps the scores, or is refused", "[property]") {
    for_every_path(1, [](Searcher& searcher, SearchRequest request, const SearchResult& all,
                         const SearchPath& path) {
        request.sort = SortBy{1, true};
        if (path.twice) {
            CHECK_THROWS_WITH(searcher.search(request), Contains("sorted by a value"));
            return;
        }
        const Scores expected = scores_of(all);
        const SearchResult sorted = searcher.search(request);
        check_ranking(searcher.database(), path.model, request, sorted);
        check_equal(scores_of(sorted), expected, 1e-12);
        for (std::size_t i = 1; i < sorted.hits.size(); ++i) {
            const SearchHit& above = sorted.hits[i - 1];
            const SearchHit& hit = sorted.hits[i];
            REQUIRE(value_of(above) >= value_of(hit));
            if (value_of(above) != value_of(hit)) continue;
            CHECK(above.score >= hit.score * (1 - 1e-12) - 1e-12);
        }
    });
}

TEST_CASE("All paths: collapsing keeps one of each value with its score", "[property]") {
    for_every_path(2, [](Searcher& searcher, SearchRequest request, const SearchResult& all,
                         const SearchPath& path) {
        const Scores scores = scores_of(all);
        std::map<std::string, double> best;
        for (const SearchHit& hit : all.hits) {
            const auto [entry, is_new] = best.try_emplace(value_of(hit), hit.score);
            entry->second = std::max(entry->second, hit.score);
        }
        request.collapse = Collapse{1};
        const SearchResult collapsed = searcher.search(request);
        check_ranking(searcher.database(), path.model, request, collapsed);
        CHECK(collapsed.hits.size() == best.size());
        for (const SearchHit& hit : collapsed.hits) {
            CHECK(std::abs(hit.score - scores.at(hit.docid)) <= 1e-12 * std::abs(hit.score));
            // The first pass chooses where there are two.
            if (!path.twice) CHECK(hit.score == Approx(best.at(value_of(hit))).epsilon(1e-12));
        }
    });
}

TEST_CASE("All paths: facets count every match", "[property]") {
    for_every_path(3, [](Searcher& searcher, SearchRequest request, const SearchResult& all,
                         const SearchPath&) {
        std::map<std::string, Xapian::doccount> expected;
        for (const SearchHit& hit : all.hits) ++expected[value_of(hit)];
        Xapian::ValueCountMatchSpy spy(1);
        request.spies = {&spy};
        request.count = 3;
        request.window = 5;
        request.check_at_least = kDocuments;
        const SearchResult some = searcher.search(request);
        std::map<std::string, Xapian::doccount> counts;
        for (auto value = spy.values_begin(); value != spy.values_end(); ++value) {
            counts[*value] = value.get_termfreq();
        }
        CHECK(counts == expected);
        CHECK(some.matches == all.hits.size());
    });
}

TEST_CASE("All paths: a least score cuts by scores, whatever the percentages", "[property]") {
    for_every_path(4, [](Searcher& searcher, SearchRequest request, const SearchResult& all,
                         const SearchPath& path) {
        for (const SearchHit& hit : all.hits) {
            CHECK(hit.percent >= 0);
            CHECK(hit.percent <= 100);
        }
        if (all.hits.size() < 3) return;
        if (!path.twice) {
            for (std::size_t i = 1; i < all.hits.size(); ++i) {
                CHECK(all.hits[i].percent <= all.hits[i - 1].percent);
            }
        }
        const double cut = (all.hits[0].score + all.hits.back().score) / 2;
        if (!(cut > 0)) return;
        std::size_t above = 0;
        for (const SearchHit& hit : all.hits) {
            if (std::abs(hit.score - cut) < 1e-9 * cut) return;  // Falls either way.
            above += hit.score > cut ? 1 : 0;
        }
        request.min_score = cut;
        const SearchResult kept = searcher.search(request);
        CHECK(kept.hits.size() == above);
        check_ranking(searcher.database(), path.model, request, kept);
        request.count = 2;
        request.first = 1;
        CHECK(searcher.search(request).hits.size() == std::min<std::size_t>(2, above - 1));
    });
}

TEST_CASE("All paths: explanations add up to the score, within their bounds", "[property]") {
    for_every_path(5, [](Searcher& searcher, SearchRequest request, const SearchResult& all,
                         const SearchPath&) {
        request.explain = true;
        const SearchResult explained = searcher.search(request);
        REQUIRE(explained.hits.size() == all.hits.size());
        for (const SearchHit& hit : explained.hits) {
            CHECK(hit.explanation->note.empty());
            CHECK_FALSE(hit.explanation->path.empty());
            double sum = 0;
            for (const RankerExplanation& ranker : hit.explanation->rankers) {
                sum += ranker.contribution;
                CHECK(ranker.value.value() <= ranker.bound.value() * (1 + 1e-12) + 1e-12);
            }
            REQUIRE(std::abs(hit.score - sum) <= 1e-9 * std::abs(sum) + 1e-12);
        }
    });
}

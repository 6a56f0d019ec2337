// SPDX-License-Identifier: GPL-2.0-or-later
// The ranker of documents that have all words: docs/algorithms/all-words.md.
#include <algorithm>
#include <functional>
#include <set>

#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/tests/core/lexical/naive_rankers.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

using Words = std::vector<std::string>;

FusionModel alone(double words = 5) {
    return {.rankers = {{.ranker = "all-words", .parameters = {{"words", words}}}}};
}

// (1) and (2), from the corpus's texts; only documents of a score above 0.
Scores naive(const RandomCorpus& corpus, const Words& query, double most) {
    const Xapian::Database database = corpus.database();
    Words known;
    for (const std::string& word : std::set<std::string>(query.begin(), query.end())) {
        if (database.get_termfreq(word) > 0) known.push_back(word);
    }
    Scores scores;
    if (known.size() < 2 || static_cast<double>(known.size()) > most) return scores;
    Scores bm25 = naive_scores(database, {}, query);
    for (const auto& [docid, score] : bm25) {
        const Words& text = corpus.words(docid);
        const bool has_all = std::all_of(known.begin(), known.end(), [&](const auto& word) {
            return std::find(text.begin(), text.end(), word) != text.end();
        });
        if (has_all) scores[docid] = score;
    }
    return scores;
}

}  // namespace

TEST_CASE("All words: scores as its formulas say, on any number of shards", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 200, 25);
    std::size_t scored = 0;
    std::size_t silent = 0;
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 20; ++round) {
            Words words = corpus.corpus().random_words(random, 1 + random.below(5));
            if (random.below(3) == 0) words.push_back("unheard");
            const double most = 2 + static_cast<double>(random.below(4));
            const Scores expected = naive(corpus.corpus(), words, most);
            for (const Candidates candidates : {Candidates::kWords, Candidates::kAll}) {
                SearchRequest request = request_of(bag_of_words(words));
                request.candidates = candidates;
                Scores found = searched(database, alone(most), request);
                std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
                check_equal(found, expected, 1e-12);
            }
            (expected.empty() ? silent : scored) += 1;
        }
    }
    CHECK(scored > 10);
    CHECK(silent > 10);
}

TEST_CASE("All words: pruned beside other rankers, and in the scores to learn from", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 25);
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "all-words", .weight = 30},
                                        {.ranker = "lsa", .weight = 8},
                                        {.ranker = "lbdm", .weight = 2}}};
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        PoolScorer scorer(database, model);
        const std::vector<Xapian::docid> documents(database.postlist_begin(""),
                                                   database.postlist_end(""));
        for (int round = 0; round < 8; ++round) {
            const Words words = corpus.corpus().random_words(random, 3);
            const Query query = bag_of_words(words);
            Scores expected = naive_scores(database, {}, words);
            const PoolScores pool = scorer.score(query, documents);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < 4; ++k) {
                    const double value = pool.rows.scores[i * 4 + k];
                    CHECK(value <= pool.rows.bounds[k]);
                    sum += model.rankers[k].weight * value;
                }
                const auto at = expected.find(documents[i]);
                if (at != expected.end()) at->second = sum;
            }
            Searcher searcher(database);
            searcher.rank_by(model);
            for (const auto path : {SearchRequest::Path::kPruned, SearchRequest::Path::kPlain}) {
                SearchRequest request = request_of(query);
                request.path = path;
                request.count = 1 + static_cast<Xapian::doccount>(random.below(12));
                const SearchResult result = searcher.search(request);
                REQUIRE(result.hits.size() ==
                        std::min<std::size_t>(request.count, expected.size()));
                std::vector<double> best;
                for (const auto& [docid, score] : expected) best.push_back(score);
                std::sort(best.begin(), best.end(), std::greater<>());
                for (std::size_t i = 0; i < result.hits.size(); ++i) {
                    CHECK_THAT(result.hits[i].score, WithinRel(best[i], 1e-9));
                    CHECK_THAT(expected.at(result.hits[i].docid), WithinRel(best[i], 1e-9));
                }
            }
        }
    }
}

TEST_CASE("All words: the order of the page is worked out by hand") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (const char* text : {"a b", "a", "a b c", "c c c c"}) {
        Xapian::Document document;
        for (const char* at = text; *at != 0; ++at) {
            if (*at != ' ') document.add_term(std::string(1, *at));
        }
        database.add_document(document);
    }
    Searcher searcher(database);
    searcher.rank_by({.rankers = {{.ranker = "bm25"}, {.ranker = "all-words", .weight = 30}}});
    SearchRequest request = request_of(bag_of_words({"a", "c", "x"}));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() == 4);
    CHECK(result.hits[0].docid == 3);
    const auto& first = result.hits[0].explanation->rankers;
    CHECK_THAT(*first.at(1).value, WithinRel(*first.at(0).value, 1e-12));
    CHECK_THAT(result.hits[0].score, WithinRel(31 * *first.at(0).value, 1e-9));
    CHECK(*result.hits[1].explanation->rankers.at(1).value == 0);

    request.query = bag_of_words({"c", "x"});
    const SearchResult one = searcher.search(request);
    REQUIRE(one.hits.size() == 2);
    CHECK(one.hits[0].docid == 4);
    CHECK_THAT(one.hits[0].explanation->rankers.at(1).note,
               Contains("1 word that any document has, not 2 to 5"));
}

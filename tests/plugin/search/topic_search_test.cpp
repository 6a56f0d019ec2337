// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/topic_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "braid/sources.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kDocuments = 150;

Scores kept(const Scores& scores, const std::function<bool(Xapian::docid)>& condition) {
    Scores result;
    for (const auto& [docid, score] : scores) {
        if (condition(docid)) result[docid] = score;
    }
    return result;
}

}  // namespace

TEST_CASE("Topic search: scores equal the naive ones on any number of shards", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, kDocuments, 50);
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 10; ++round) {
            FusionModel model = random_model(random, 3);
            const auto at = model.rankers.begin() + static_cast<std::ptrdiff_t>(random.below(2));
            model.rankers.insert(at, {.ranker = "lsa", .weight = 5 * random.uniform() + 0.1});
            if (round % 2 == 0) model.rankers.push_back({.ranker = "lda", .weight = 3});
            const auto words = corpus.corpus().random_words(random, 4);
            check_equal(searched(database, model, request_of(bag_of_words(words))),
                        naive(corpus, model, words), 1e-9);
        }
    }
}

TEST_CASE("Topic search: topics alone rank what the words find", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, kDocuments, 50);
    const FusionModel model{.rankers = {{.ranker = "lsa", .weight = 2}}};
    for (const std::size_t shards : {1U, 2U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 10; ++round) {
            const auto words = corpus.corpus().random_words(random, 4);
            Searcher searcher(database);
            searcher.rank_by(model);
            const SearchResult result = searcher.search(request_of(bag_of_words(words)));
            check_equal(scores_of(result), naive(corpus, model, words), 1e-9);
            if (!result.hits.empty()) CHECK_FALSE(result.hits[0].terms.empty());
        }
    }
}

TEST_CASE("Topic search: all candidates brings documents without a word of the query",
          "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, kDocuments, 50);
    const std::vector<FusionModel> models = {
        {.rankers = {{.ranker = "lsa", .weight = 2}}},
        bm25_and_lsa(3),
        // Its score has a part for each document's length, whatever brought the document.
        {.rankers = {{.ranker = "lm-dirichlet", .parameters = {{"longest", 1000}}},
                     {.ranker = "lsa", .weight = 2},
                     {.ranker = "lda", .weight = 1}}},
    };
    std::size_t brought = 0;
    for (const std::size_t shards : {1U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 5; ++round) {
            const auto words = corpus.corpus().random_words(random, 3);
            for (const FusionModel& model : models) {
                SearchRequest request = request_of(bag_of_words(words));
                request.candidates = Candidates::kAll;
                const Scores found = searched(database, model, request);
                Scores expected = naive(corpus, model, words, Candidates::kAll);
                if (model.rankers[0].ranker == "lm-dirichlet") {
                    const Scores matching = naive(corpus, model, words);
                    for (auto& [docid, score] : expected) {
                        if (matching.contains(docid)) continue;
                        const double length = static_cast<double>(database.get_doclength(docid));
                        if (length == 0) continue;
                        score += static_cast<double>(words.size()) *
                                 std::log((2000 + 1000) / (2000 + length));
                    }
                }
                check_equal(found, expected, 1e-9);
                brought += found.size() -
                           searched(database, model, request_of(bag_of_words(words))).size();
                SearcherOptions options;
                options.search.candidates = Candidates::kAll;
                request.candidates.reset();
                CHECK(searched(database, model, request, options) == found);
            }
        }
    }
    CHECK(brought > 0);
}

TEST_CASE("Topic search: filters and phrases keep scores, and don't fold", "[property]") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, kDocuments, 20);
    const FusionModel model = bm25_and_lsa(4);
    for (const std::size_t shards : {1U, 2U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 5; ++round) {
            const auto words = corpus.corpus().random_words(random, 3);
            const Query text = bag_of_words(words);
            const Scores expected = naive(corpus, model, words);
            const auto even = [](Xapian::docid docid) { return docid % 2 == 1; };
            SearchRequest request = request_of(text);
            request.filter = Query("XEVEN");
            check_equal(searched(database, model, request), kept(expected, even), 1e-9);
            const Query filtered(Query::OP_FILTER, text, Query("w3"));
            const auto has_w3 = [&](Xapian::docid docid) {
                const auto& in = corpus.corpus().words(docid);
                return std::find(in.begin(), in.end(), "w3") != in.end();
            };
            check_equal(searched(database, model, request_of(filtered)), kept(expected, has_w3),
                        1e-9);
            const Query without(Query::OP_AND_NOT, text, Query("w3"));
            const auto no_w3 = [&](Xapian::docid docid) { return !has_w3(docid); };
            check_equal(searched(database, model, request_of(without)), kept(expected, no_w3),
                        1e-9);
            const Query idle(Query::OP_AND_MAYBE, text,
                             Query(Query::OP_SCALE_WEIGHT, Query("w3"), 0));
            check_equal(searched(database, model, request_of(idle)), expected, 1e-9);
        }
        const std::vector<std::string> parts = {"w0", "w1"};
        const Query phrase(Query::OP_PHRASE, parts.begin(), parts.end());
        const auto next_to = [&](Xapian::docid docid) {
            const auto& in = corpus.corpus().words(docid);
            return std::search(in.begin(), in.end(), parts.begin(), parts.end()) != in.end();
        };
        const Scores expected = kept(naive(corpus, model, parts), next_to);
        CHECK_FALSE(expected.empty());
        check_equal(searched(database, model, request_of(phrase)), expected, 1e-9);
    }
}

TEST_CASE("Topic search: pages, sorting and collapsing see the same scores", "[property]") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Xapian::Database database = corpus.database(2);
    Searcher searcher(database);
    searcher.rank_by(bm25_and_lsa(6));
    for (int round = 0; round < 5; ++round) {
        const Query query = bag_of_words(corpus.corpus().random_words(random, 4));
        SearchRequest request = request_of(query);
        request.check_at_least = kDocuments;
        const SearchResult all = searcher.search(request);
        const Scores scores = scores_of(all);
        for (Xapian::doccount first = 0; first < all.hits.size(); first += 7) {
            SearchRequest page = request_of(query, 7);
            page.first = first;
            const SearchResult found = searcher.search(page);
            for (std::size_t i = 0; i < found.hits.size(); ++i) {
                CHECK_THAT(found.hits[i].score, WithinRel(all.hits[first + i].score, 1e-12));
            }
        }
        SearchRequest sorted = request_of(query);
        sorted.sort = SortBy{1, false};
        const SearchResult by_value = searcher.search(sorted);
        check_equal(scores_of(by_value), scores, 1e-12);
        for (std::size_t i = 1; i < by_value.hits.size(); ++i) {
            CHECK((by_value.hits[i - 1].docid - 1) % 7 <= (by_value.hits[i].docid - 1) % 7);
        }
        SearchRequest collapsed = request_of(query);
        collapsed.collapse = Collapse{1, 1};
        std::map<Xapian::docid, double> best;
        for (const auto& [docid, score] : scores) {
            double& value = best[(docid - 1) % 7];
            value = std::max(value, score);
        }
        const SearchResult first_of_each = searcher.search(collapsed);
        CHECK(first_of_each.hits.size() == best.size());
        for (const SearchHit& hit : first_of_each.hits) {
            CHECK_THAT(hit.score, WithinRel(best.at((hit.docid - 1) % 7), 1e-12));
        }
    }
}

TEST_CASE("Topic search: explanations add up, with notes where topics say nothing") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Xapian::Database database = corpus.database(2);
    FusionModel model;
    model.rankers = {{.ranker = "lsa", .weight = 3},
                     {.ranker = "bm25"},
                     {.ranker = "lda", .weight = 0},
                     {.ranker = "dph", .weight = 0.5}};
    Searcher searcher(database);
    searcher.rank_by(model);
    SearchRequest request = request_of(bag_of_words({"w0", "w1", "unheard"}));
    request.explain = true;
    for (const Candidates candidates : {Candidates::kWords, Candidates::kAll}) {
        request.candidates = candidates;
        const SearchResult result = searcher.search(request);
        const auto lsa = corpus.similarities("lsa", {"w0", "w1"});
        const auto lda = corpus.similarities("lda", {"w0", "w1"});
        REQUIRE(result.hits.size() > 60);
        CHECK(result.run.counters.damaged > 0);
        for (const SearchHit& hit : result.hits) {
            const auto& rankers = hit.explanation->rankers;
            REQUIRE(rankers.size() == 4);
            double sum = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(rankers[i].label == model.rankers[i].ranker);
                REQUIRE(rankers[i].value.has_value());
                sum += rankers[i].contribution;
            }
            CHECK_THAT(sum, WithinRel(hit.score, 1e-9));
            CHECK(*rankers[0].value == lsa.at(hit.docid));
            CHECK(*rankers[2].value == lda.at(hit.docid));
            CHECK(rankers[0].bound == 1);
            CHECK_THAT(rankers[0].note, Contains("unknown: unheard"));
            const bool none = hit.docid % 9 == 0;
            const bool damaged = !none && hit.docid % 13 == 0;
            const bool stale = !none && !damaged && hit.docid % 11 == 0;
            CHECK((rankers[0].note.find("no topic vector") != std::string::npos) == none);
            CHECK((rankers[0].note.find("damaged") != std::string::npos) == damaged);
            CHECK((rankers[0].note.find("has changed") != std::string::npos) == stale);
            const std::string how =
                candidates == Candidates::kWords ? "FusedSource" : "FusedWeight";
            CHECK_THAT(hit.explanation->path,
                       Contains(how) && Contains("vectors") && Contains("(lsa)"));
        }
    }
}

TEST_CASE("Topic search: a query of unknown words is similar to nothing, and is told so") {
    Random random(seed(), 6);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Xapian::Database database = corpus.database();
    Searcher searcher(database);
    searcher.rank_by(bm25_and_lsa(2));
    // The filter's words are none of the query's, and every document matches.
    SearchRequest request = request_of(Query(Query::OP_OR, Query("unheard"), Query::MatchAll));
    request.explain = true;
    request.candidates = Candidates::kAll;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() == kDocuments);
    for (const SearchHit& hit : result.hits) {
        CHECK(hit.score == 0);
        CHECK_THAT(hit.explanation->rankers[1].note,
                   Contains("knows no word of the query") && Contains("unknown: unheard"));
    }
}

TEST_CASE("Topic search: what a query excludes is no candidate, whatever its vector",
          "[property]") {
    Random random(seed(), 8);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Query words = bag_of_words({"w0", "w5"});
    for (const std::size_t shards : {1U, 3U}) {
        Searcher searcher(corpus.database(shards));
        searcher.rank_by(bm25_and_lsa(2));
        SearchRequest request = request_of(words);
        request.candidates = Candidates::kAll;
        const SearchResult all = searcher.search(request);
        for (const bool filtered : {true, false}) {
            request.query = Query(filtered ? Query::OP_FILTER : Query::OP_AND_NOT, words,
                                  Query(filtered ? "XEVEN" : "XODD"));
            request.explain = true;
            const SearchResult even = searcher.search(request);
            Scores expected;
            for (const SearchHit& hit : all.hits) expected[hit.docid] = hit.score;
            CHECK(even.hits.size() < all.hits.size());
            CHECK(even.hits.size() > kDocuments / 3);
            for (const SearchHit& hit : even.hits) {
                CHECK(hit.docid % 2 == 1);
                CHECK_THAT(hit.score, WithinRel(expected.at(hit.docid), 1e-9));
                double sum = 0;
                for (const auto& ranker : hit.explanation->rankers) sum += ranker.contribution;
                CHECK_THAT(sum, WithinRel(hit.score, 1e-9));
            }
        }
    }
}

TEST_CASE("Topic search: a document behind one without a vector keeps its own similarity") {
    Random random(seed(), 0);
    const TopicCorpus corpus(random, 90, 14);
    const FusionModel model{.rankers = {{.ranker = "lsa"}}};
    SearchRequest request = request_of(Query(Query::OP_FILTER, bag_of_words({"w11", "w12"}),
                                             Query(Query::OP_AND_MAYBE, Query("w3"), Query("w4"))));
    request.path = SearchRequest::Path::kPlain;
    const Scores plain = searched(corpus.database(), model, request);
    request.path = SearchRequest::Path::kPruned;
    check_equal(plain, searched(corpus.database(), model, request), 1e-12);
}

TEST_CASE("Topic search: a source of topics in a user's own query scores as Searcher does",
          "[property]") {
    Random random(seed(), 30);
    const TopicCorpus corpus(random, kDocuments, 50);
    FusionModel words_alone = bm25_and_lsa(0);
    words_alone.rankers.resize(1);
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 5; ++round) {
            const Query words = bag_of_words(corpus.corpus().random_words(random, 3));
            const double weight = 1 + random.uniform();
            const auto topics = topic_source(database, "lsa", words, weight);
            Xapian::Enquire enquire(database);
            enquire.set_weighting_scheme(FusedWeight(words_alone));
            enquire.set_query(Query(Query::OP_AND_MAYBE, words, Query(topics.get())));
            Scores found;
            const Xapian::MSet results = enquire.get_mset(0, kDocuments);
            for (auto hit = results.begin(); hit != results.end(); ++hit) {
                found[*hit] = hit.get_weight();
            }
            check_equal(found, searched(database, bm25_and_lsa(weight), request_of(words)), 1e-9);
        }
    }
    CHECK_THROWS_AS(topic_source(corpus.database(), "none", Query("w1"), 1), ModelMismatch);
    CHECK_THROWS_AS(topic_source(corpus.database(), "lsa", Query("w1"), -1), InvalidArgument);
}

TEST_CASE("Value search: a source of values is the ranker of its name") {
    const auto source = value_source({.ranker = "value-log", .slot = 3}, 2);
    CHECK(source->name() == "braid::ValueRanker");
    CHECK_THROWS_AS(value_source({.ranker = "bm25"}, 1), UnknownComponent);
    CHECK_THROWS_AS(value_source({}, -1), InvalidArgument);
}

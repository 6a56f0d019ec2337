// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <set>

#include "braid/core/lexical/ranker.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/sources.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel mixed_model() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "bm25", .field = "title", .weight = 2},
                        {.ranker = "lm-dirichlet", .field = "title", .weight = 0.5},
                        {.ranker = "tfidf-cosine", .weight = 3},
                        {.ranker = "lm-absdiscount", .field = "author"}}};
}

Scores weighted(const FieldedCorpus& corpus, const FusionModel& model,
                const std::vector<std::string>& words) {
    Scores sums;
    for (const RankerSpec& spec : model.rankers) {
        for (const auto& [docid, score] : corpus.naive(spec, words)) {
            sums[docid] += spec.weight * score;
        }
    }
    return sums;
}

std::vector<Xapian::docid> keys_of(const Scores& scores) {
    std::vector<Xapian::docid> documents;
    for (const auto& [docid, score] : scores) documents.push_back(docid);
    return documents;
}

BagOfWords bag_with_fields(const Xapian::Database& database,
                           const std::vector<std::string>& words) {
    return read_bag_of_words(database, bag_of_words(words),
                             field_collections(database, {"title", "author"}));
}

}  // namespace

TEST_CASE("Fields: every ranker of one field equals core's, on any number of shards",
          "[property]") {
    Random random(seed());
    const FieldedCorpus corpus(random, 140, 30);
    for (const LexicalRankerInfo& info : lexical_rankers()) {
        INFO(info.name);
        if (!info.traits.is_sum || info.traits.blends_fields) continue;
        for (const std::string& field : {std::string("title"), std::string("author")}) {
            const FusionModel model{.rankers = {{.ranker = info.name, .field = field}}};
            const auto words = corpus.random_words(random, 5);
            Scores expected = corpus.naive(model.rankers[0], words);
            Scores first;
            for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
                const Scores found =
                    searched(corpus.database(shards), model, request_of(bag_of_words(words)));
                check_equal(found, expected, 1e-9);
                if (shards == 1) first = found;
                CHECK(found == first);
            }
        }
    }
}

TEST_CASE("Fields: the pruned top is the exhaustive one's, with filters and without",
          "[property]") {
    Random random(seed(), 1);
    for (int round = 0; round < 20; ++round) {
        const FieldedCorpus corpus(random, 300, 30);
        const auto words = corpus.random_words(random, 4);
        Scores expected = weighted(corpus, mixed_model(), words);
        const Xapian::Database database = corpus.database(1 + random.below(3));
        SearchRequest request = request_of(bag_of_words(words), 300);
        if (round % 2 == 1) {
            request.filter = Xapian::Query("XODD");
            std::erase_if(expected, [](const auto& entry) { return entry.first % 2 == 1; });
        }
        check_equal(searched(database, mixed_model(), request), expected, 1e-9);
        const std::vector<double> ranked = descending(expected);
        request.count = 5;
        const std::vector<double> top = descending(searched(database, mixed_model(), request));
        REQUIRE(top.size() == std::min<std::size_t>(5, ranked.size()));
        CHECK(std::equal(top.begin(), top.end(), ranked.begin(),
                         [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; }));
    }
}

TEST_CASE("Fields: pools agree with searches, within their bounds", "[property]") {
    Random random(seed(), 2);
    for (int round = 0; round < 8; ++round) {
        const FieldedCorpus corpus(random, 200, 30);
        const auto words = corpus.random_words(random, 4);
        const Xapian::Database database = corpus.database(2);
        const SearchRequest request = request_of(bag_of_words(words), 300);
        const Scores all = searched(database, mixed_model(), request);
        const std::vector<Xapian::docid> documents = keys_of(all);
        if (documents.empty()) continue;
        const PoolScores pool =
            PoolScorer(database, mixed_model()).score(*request.query, documents);
        for (std::size_t k = 0; k < pool.rows.width(); ++k) {
            const RankerSpec spec = mixed_model().rankers[k];
            INFO(spec.label());
            const Scores expected = corpus.naive(spec, words);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                const double value = pool.rows.scores[i * pool.rows.width() + k];
                CHECK(std::abs(value - expected.at(documents[i])) <= 1e-9 * value + 1e-15);
                CHECK(value <= pool.rows.bounds[k] * (1 + 1e-12));
            }
        }
    }
}

TEST_CASE("Fields: explained as they score, with the field's terms") {
    Random random(seed(), 3);
    const FieldedCorpus corpus(random, 80, 12);
    Searcher searcher(corpus.database());
    searcher.rank_by(mixed_model());
    SearchRequest request = request_of(bag_of_words({"w0", "w2", "w2"}), 80);
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    std::set<std::string> terms;
    for (const SearchHit& hit : result.hits) {
        double sum = 0;
        for (const RankerExplanation& ranker : hit.explanation->rankers) {
            sum += ranker.contribution;
            CHECK(*ranker.value <= *ranker.bound * (1 + 1e-12));
            if (ranker.label == "bm25:title") {
                for (const auto& term : ranker.terms) terms.insert(term.term);
            }
        }
        CHECK(std::abs(sum - hit.score) <= 1e-9 * sum);
    }
    CHECK(terms == std::set<std::string>{"Sw0", "Sw2"});
}

TEST_CASE("Fields: a word that the query looks for in a field counts there alone") {
    Random random(seed(), 4);
    const FieldedCorpus corpus(random, 60, 12);
    const Xapian::Database database = corpus.database();
    const FusionModel title{.rankers = {{.ranker = "tf", .field = "title"}}};
    const Scores found = searched(database, title, request_of(Xapian::Query("Sw1")));
    REQUIRE_FALSE(found.empty());
    for (const auto& [docid, score] : found) {
        auto posting = database.postlist_begin("Sw1");
        posting.skip_to(docid);
        // Every tenth document has no record, and no field's words with it.
        CHECK(score == (docid % 10 == 0 ? 0 : static_cast<double>(posting.get_wdf())));
    }
    // Not through another field, though it is found.
    const FusionModel author{
        .rankers = {{.ranker = "bm25"}, {.ranker = "tf", .field = "author", .weight = 100}}};
    const FusionModel plain{.rankers = {{.ranker = "bm25"}}};
    CHECK(searched(database, author, request_of(Xapian::Query("Sw1"))) ==
          searched(database, plain, request_of(Xapian::Query("Sw1"))));
}

TEST_CASE("Fields: a source is sent whole, and damage is refused") {
    Random random(seed(), 5);
    const FieldedCorpus corpus(random, 100, 20);
    const Xapian::Database database = corpus.database(2);
    const FusedSource source(mixed_model(), bag_with_fields(database, {"w0", "w1", "Sw2"}));
    CHECK_FALSE(matched(database, source).empty());
    check_sent(source, database);
    check_bytes(FusedSource(), source.serialise(), random);
}

TEST_CASE("Fields: what can't serve them says why") {
    Random random(seed(), 6);
    const FieldedCorpus corpus(random, 40, 12);
    const FusionModel title{.rankers = {{.ranker = "bm25", .field = "title"}}};
    const FusionModel other{.rankers = {{.ranker = "bm25", .field = "text"}}};
    CHECK_THROWS_WITH(FusedWeight(title), Contains("'title' alone") && Contains("--statistics"));
    CHECK_THROWS_WITH(
        FusedSource(title, read_bag_of_words(corpus.database(), bag_of_words({"w0"}))),
        Contains("'title' alone"));
    CHECK_THROWS_WITH(FusedSource(title, bag_with_fields(corpus.database(), {"w0"})),
                      Contains("'author'"));
    Searcher bare(corpus.bare_database());
    CHECK_THROWS_WITH(bare.rank_by(title), Contains("'title'") && Contains("--statistics"));
    CHECK_THROWS_WITH(PoolScorer(corpus.bare_database(), title), Contains("--statistics"));
    Searcher searcher(corpus.database());
    CHECK_THROWS_WITH(searcher.rank_by(other), Contains("'text'") && Contains("author, title"));
}

TEST_CASE("Fields: a query of phrases and operators is scored in two passes") {
    Random random(seed(), 8);
    const FieldedCorpus corpus(random, 60, 12);
    Searcher searcher(corpus.database());
    searcher.rank_by(mixed_model());
    const Xapian::Query both(Xapian::Query::OP_AND, Xapian::Query("w1"), Xapian::Query("w2"));
    SearchRequest request =
        request_of(Xapian::Query(Xapian::Query::OP_OR, Xapian::Query("w0"), both));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    CHECK(result.run.rescored > 0);
    const RankerSpec title = mixed_model().rankers[1];
    const Scores first = corpus.naive(title, {"w0"});
    const Scores others = corpus.naive(title, {"w1", "w2"});
    const Scores one = corpus.naive(title, {"w1"});
    const Scores two = corpus.naive(title, {"w2"});
    REQUIRE(result.hits.size() > 10);
    for (const SearchHit& hit : result.hits) {
        const bool has_both = one.contains(hit.docid) && two.contains(hit.docid);
        const double expected = (first.contains(hit.docid) ? first.at(hit.docid) : 0) +
                                (has_both ? others.at(hit.docid) : 0);
        CHECK(*hit.explanation->rankers[1].value == Approx(expected).margin(1e-12));
    }
}

TEST_CASE("Fields: log-bm25 is scored in a second pass, as the logarithm of bm25") {
    Random random(seed(), 9);
    const FieldedCorpus corpus(random, 80, 12);
    Searcher searcher(corpus.database());
    searcher.rank_by({.rankers = {{.ranker = "log-bm25", .weight = 2},
                                  {.ranker = "bm25", .weight = 0},
                                  {.ranker = "log-bm25", .field = "title", .weight = 0},
                                  {.ranker = "bm25", .field = "title", .weight = 0}}});
    SearchRequest request = request_of(bag_of_words({"w0", "w3"}), 80);
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    for (const SearchHit& hit : result.hits) {
        const std::vector<RankerExplanation>& rankers = hit.explanation->rankers;
        for (const std::size_t i : {0U, 2U}) {
            CHECK(*rankers[i].value == Approx(std::log1p(*rankers[i + 1].value)));
            CHECK(*rankers[i].value <= *rankers[i].bound);
        }
        CHECK(hit.score == Approx(2 * *rankers[0].value));
    }
    const FusionModel model{.rankers = {{.ranker = "log-bm25"}}};
    CHECK_THROWS_WITH(FusedWeight(model), Contains("no sum over words"));
    CHECK_THAT(FusedSource::why_not(Xapian::Query("w0"), model), Contains("no sum over words"));
}

TEST_CASE("Fields: a ranker of weight 0 hinders no search of a database without records") {
    Random random(seed(), 7);
    const FieldedCorpus corpus(random, 40, 12);
    Searcher searcher(corpus.bare_database());
    searcher.rank_by(
        {.rankers = {{.ranker = "bm25"}, {.ranker = "bm25", .field = "title", .weight = 0}}});
    SearchRequest request = request_of(bag_of_words({"w0"}));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE_FALSE(result.hits.empty());
    const std::vector<RankerExplanation>& rankers = result.hits[0].explanation->rankers;
    CHECK(rankers[0].contribution == Approx(result.hits[0].score));
    CHECK_FALSE(rankers[1].value);
    CHECK_THAT(rankers[1].note, Contains("--statistics"));
}

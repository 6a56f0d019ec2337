// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/pool_scorer.h"

#include <numeric>

#include "braid/core/lexical/ranker.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kDocuments = 120;

// Each with a weight of its own; bm25 in another setting, too, and none of one field.
FusionModel all_rankers() {
    FusionModel model{.rankers = {}};
    double weight = 0.5;
    for (const LexicalRankerInfo& info : lexical_rankers()) {
        // Needs a database with records: record_search_test.cpp.
        if (info.name == "tfidf-cosine") continue;
        if (info.traits.blends_fields) continue;  // weighed_search_test.cpp.
        model.rankers.push_back({.ranker = info.name, .weight = weight += 0.1});
    }
    model.rankers.insert(model.rankers.begin() + 1, {.ranker = "lsa", .weight = 3});
    model.rankers.push_back({.ranker = "lbdm", .parameters = {{"mu", 20}, {"longest", 100}}});
    model.rankers.push_back(
        {.ranker = "bm25", .name = "other", .parameters = {{"k1", 2}, {"b", 0.2}}, .weight = 0});
    model.rankers.push_back({.ranker = "lda", .weight = 2});
    return model;
}

std::vector<Xapian::docid> documents_of(const Xapian::Database& database) {
    return {database.postlist_begin(""), database.postlist_end("")};
}

std::size_t column_of(const FusionModel& model, const std::string& label) {
    for (std::size_t i = 0; i < model.rankers.size(); ++i) {
        if (model.rankers[i].label() == label) return i;
    }
    FAIL("no ranker " << label);
    return 0;
}

bool is_served(const RankerSpec& spec) { return why_not_served(Server::kPostings, spec).empty(); }

// Checks a column against what a search by that ranker alone finds: documents that it doesn't find
// have none of the query's words.
void check_column(const Xapian::Database& database, const FusionModel& model, std::size_t column,
                  const std::vector<std::string>& words,
                  const std::vector<Xapian::docid>& documents, const PoolScores& pool) {
    INFO("ranker " << model.rankers[column].label());
    RankerSpec alone = model.rankers[column];
    alone.weight = 1;
    const Scores served = searched(database, {.rankers = {alone}}, request_of(bag_of_words(words)));
    std::size_t found = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const double value = pool.rows.scores[i * pool.rows.width() + column];
        CHECK(value <= pool.rows.bounds[column] * (1 + 1e-12));  // Sums round.
        const auto at = served.find(documents[i]);
        if (at == served.end()) continue;
        CHECK_THAT(value, WithinRel(at->second, 1e-9));
        ++found;
    }
    CHECK(found == served.size());
}

}  // namespace

TEST_CASE("PoolScorer: every ranker gives what serving gives", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, kDocuments, 50);
    const FusionModel model = all_rankers();
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        const std::vector<Xapian::docid> documents = documents_of(database);
        PoolScorer scorer(database, model);
        for (int round = 0; round < 6; ++round) {
            INFO(shards << " shards, round " << round);
            const auto words = corpus.corpus().random_words(random, 5);
            const PoolScores pool = scorer.score(bag_of_words(words), documents);
            REQUIRE(pool.rows.width() == model.rankers.size());
            for (std::size_t column = 0; column < pool.rows.width(); ++column) {
                if (!is_served(model.rankers[column])) continue;
                check_column(database, model, column, words, documents, pool);
            }
        }
    }
}

TEST_CASE("PoolScorer: a row's weighted sum is the score of the whole model", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, kDocuments, 50);
    FusionModel model = all_rankers();
    std::erase_if(model.rankers, [](const RankerSpec& spec) { return !is_served(spec); });
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        const std::vector<Xapian::docid> documents = documents_of(database);
        PoolScorer scorer(database, model);
        std::size_t found = 0;
        for (int round = 0; round < 5; ++round) {
            const auto words = corpus.corpus().random_words(random, 4);
            SearchRequest request = request_of(bag_of_words(words));
            request.candidates = Candidates::kAll;
            const Scores served = searched(database, model, request);
            found += served.size();
            const PoolScores pool = scorer.score(bag_of_words(words), documents);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < pool.rows.width(); ++k) {
                    sum += model.rankers[k].weight * pool.rows.scores[i * pool.rows.width() + k];
                }
                const auto at = served.find(documents[i]);
                if (at != served.end()) CHECK_THAT(sum, WithinRel(at->second, 1e-9));
            }
        }
        CHECK(found > 100);
    }
}

TEST_CASE("PoolScorer: values and bounds are those of an explanation") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Xapian::Database database = corpus.database(2);
    FusionModel model = all_rankers();
    for (RankerSpec& spec : model.rankers) {
        if (!is_served(spec)) spec.weight = 0;
    }
    const std::size_t unique = column_of(model, "lm-absdiscount");
    REQUIRE(model.rankers[unique].weight == 0);
    const Query query = bag_of_words({"w0", "w1", "w1", "w5", "unheard"});
    SearchRequest request = request_of(query);
    request.explain = true;
    Searcher searcher(database);
    searcher.rank_by(model);
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 50);
    PoolScorer scorer(database, model);
    for (const SearchHit& hit : result.hits) {
        const PoolScores pool = scorer.score(query, std::vector{hit.docid});
        for (std::size_t k = 0; k < pool.rows.width(); ++k) {
            const RankerExplanation& ranker = hit.explanation->rankers.at(k);
            INFO(ranker.label);
            CHECK_THAT(pool.rows.scores[k], WithinRel(ranker.value.value(), 1e-12));
            CHECK_THAT(pool.rows.bounds[k], WithinRel(ranker.bound.value(), 1e-12));
        }
        CHECK(pool.rows.scores[unique] > 0);
    }
    const PoolScores none = scorer.score(query, {});
    CHECK(none.rows.scores.empty());
    CHECK(none.known[column_of(model, "lsa")] == 0.75);
    CHECK(none.known[unique] == 1);
}

TEST_CASE("PoolScorer: phrases are scored where they match") {
    Random random(seed(), 6);
    const TopicCorpus corpus(random, kDocuments, 12);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model{
        .rankers = {{.ranker = "bm25"}, {.ranker = "lsa"}, {.ranker = "lm-dirichlet"}}};
    const Query phrase(Query::OP_PHRASE, Query("w0"), Query("w1"));
    const Query query(Query::OP_OR, phrase, Query("w2"));
    const std::vector<Xapian::docid> documents = documents_of(database);
    const PoolScores pool = PoolScorer(database, model).score(query, documents);
    for (std::size_t k = 0; k < 3; ++k) {
        const Scores served =
            searched(database, {.rankers = {model.rankers[k]}}, request_of(query));
        CHECK(served.size() > 20);
        for (std::size_t i = 0; i < documents.size(); ++i) {
            const auto found = served.find(documents[i]);
            if (found == served.end()) {
                if (k == 0)
                    CHECK(pool.rows.scores[i * 3 + k] == 0);  // Others know more than words.
            } else {
                CHECK_THAT(pool.rows.scores[i * 3 + k], WithinRel(found->second, 1e-9));
            }
        }
    }
}

TEST_CASE("PoolScorer: a pool's rows don't depend on the rest of the pool", "[property]") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, kDocuments, 50);
    const FusionModel model = all_rankers();
    const Xapian::Database database = corpus.database(3);
    const std::vector<Xapian::docid> documents = documents_of(database);
    PoolScorer scorer(database, model);
    for (int round = 0; round < 10; ++round) {
        const Query query = bag_of_words(corpus.corpus().random_words(random, 5));
        const PoolScores all = scorer.score(query, documents);
        std::vector<Xapian::docid> some;
        std::vector<double> expected;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            if (random.below(5) != 0) continue;
            some.push_back(documents[i]);
            const auto row =
                all.rows.scores.begin() + static_cast<std::ptrdiff_t>(i * all.rows.width());
            expected.insert(expected.end(), row,
                            row + static_cast<std::ptrdiff_t>(all.rows.width()));
        }
        CHECK(scorer.score(query, some).rows.scores == expected);
    }
}

TEST_CASE("PoolScorer: vectors from memory and from sidecars give the same bits") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, kDocuments, 40);
    const TemporaryFolder folder;
    Xapian::Database plain;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string path = (folder / ("plain" + std::to_string(i))).string();
        Xapian::WritableDatabase shard(path, Xapian::DB_CREATE);
        corpus.write_shard(shard, i, 2);
        plain.add_database(Xapian::Database(path));
    }
    const Xapian::Database bare = corpus.corpus().stored_database(folder.path().string(), 2);
    PoolScorerOptions beside;
    beside.sidecars = corpus.sidecars(bare);
    const FusionModel model{.rankers = {{.ranker = "lsa"}, {.ranker = "lbdm"}, {.ranker = "lda"}}};
    const Query query = bag_of_words({"w0", "w2", "w3"});
    const std::vector<Xapian::docid> documents = documents_of(plain);
    const PoolScores expected = PoolScorer(plain, model).score(query, documents);
    const double sum =
        std::accumulate(expected.rows.scores.begin(), expected.rows.scores.end(), 0.0);
    CHECK(sum > 1);
    CHECK(PoolScorer(bare, model, beside).score(query, documents).rows.scores ==
          expected.rows.scores);
    PoolScorerOptions kept;
    kept.tables = std::make_shared<VectorTables>();
    PoolScorer scorer(plain, model, kept);
    CHECK(scorer.score(query, documents).rows.scores == expected.rows.scores);
    CHECK(scorer.score(query, documents).rows.scores == expected.rows.scores);
    // As for Searcher, all shards have a sidecar or none has.
    beside.sidecars.pop_back();
    CHECK_THROWS_AS(PoolScorer(bare, model, beside), ModelMismatch);
}

TEST_CASE("PoolScorer: places are the documents' vectors in the first topic model") {
    Random random(seed(), 6);
    const TopicCorpus corpus(random, 60, 20, VectorCoding::kFloat32);
    const Xapian::Database database = corpus.database(2);
    FusionModel model{.rankers = {{.ranker = "bm25"}, {.ranker = "lda"}, {.ranker = "lsa"}}};
    const std::vector<Xapian::docid> documents = documents_of(database);
    const Query query = bag_of_words({"w0", "w2"});
    for (const std::string first : {"lda", "lsa"}) {
        model.rankers[1].ranker = first;
        model.rankers[2].ranker = first == "lda" ? "lsa" : "lda";
        PoolScorer scorer(database, model, {.places = true});
        const PoolScores scores = scorer.score(query, documents);
        REQUIRE(scores.rows.places.size() == documents.size() * 8);
        std::size_t placed = 0;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            std::vector<float> expected(8, 0);
            const std::string value = corpus.value(first, documents[i]);
            const auto stored = try_open_vector(value, 8);
            if (stored) decode_vector(*stored, expected);
            const std::vector<float> place(
                scores.rows.places.begin() + static_cast<long>(8 * i),
                scores.rows.places.begin() + static_cast<long>(8 * i + 8));
            CHECK(place == expected);
            if (stored) ++placed;
        }
        CHECK(placed > 30);
        CHECK(placed < documents.size());
        CHECK(PoolScorer(database, model).score(query, documents).rows.places.empty());
    }
    const FusionModel words{.rankers = {{.ranker = "bm25"}}};
    CHECK_THROWS_WITH(PoolScorer(database, words, {.places = true}),
                      Contains("no ranker of the model uses a topic model"));
}

TEST_CASE("PoolScorer: a query of too many words or levels is refused before it is walked") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 30, 20);
    const Xapian::Database database = corpus.database();
    const std::vector<Xapian::docid> documents = documents_of(database);
    Query deep("w0");
    for (int i = 0; i < 2'000; ++i) deep = Query(Query::OP_AND_NOT, deep, Query("w1"));
    PoolScorer scorer(database, {});
    CHECK_THROWS_WITH(scorer.score(deep, documents), Contains("nest"));
    const Query three(Query::OP_OR, Query(Query::OP_OR, Query("w0"), Query("w1")), Query("w2"));
    CHECK_THROWS_AS(PoolScorer(database, {}, {.limits = {.words = 2}}).score(three, documents),
                    InvalidArgument);
    CHECK_NOTHROW(PoolScorer(database, {}, {.limits = {.words = 3}}).score(three, documents));
}

TEST_CASE("PoolScorer: what it can't score is refused") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 30, 20);
    const Xapian::Database database = corpus.database();
    const std::vector<Xapian::docid> documents = documents_of(database);
    const FusionModel field{.rankers = {{.ranker = "bm25", .field = "title"}}};
    CHECK_THROWS_WITH(PoolScorer(database, field), Contains("field 'title'"));
    const FusionModel missing{.rankers = {{.ranker = "bm25"}, {.ranker = "plsi", .weight = 0}}};
    CHECK_THROWS_AS(PoolScorer(database, missing).score(Query("w0"), documents), ModelMismatch);
    const FusionModel feature{.rankers = {{.ranker = "feature", .name = "clicks"}}};
    CHECK_THROWS_AS(PoolScorer(database, feature), ModelMismatch);
    PoolScorer scorer(database, {});
    CHECK_THROWS_WITH(scorer.score(Query(), documents), Contains("query is empty"));
    const std::vector<Xapian::docid> twice = {3, 3};
    CHECK_THROWS_WITH(scorer.score(Query("w0"), twice), Contains("don't ascend"));
    const std::vector<Xapian::docid> absent = {3, 1000};
    for (const std::string word : {"w0", "unheard"}) {
        CHECK_THROWS_AS(scorer.score(Query(word), absent), Xapian::DocNotFoundError);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Searcher with models that one pass can't serve.
#include "braid/plugin/search/rescored_search.h"

#include <algorithm>
#include <cmath>

#include "braid/core/model/method_function.h"
#include "braid/core/model/model_function.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

FusionModel normalised(const std::string& normaliser) {
    return {.rankers = {{.ranker = "bm25", .weight = 0.3},
                        {.ranker = "lsa", .weight = 0.6},
                        {.ranker = "tf", .weight = 0}},
            .normaliser = {.normaliser = normaliser}};
}

// All documents with a word of the query, fused by the definition.
Scores fused_by_definition(const Xapian::Database& database, const FusionModel& model,
                           const Query& query) {
    std::vector<FirstPassDocument> all;
    for (const auto& [docid, score] : all_matches(database, Xapian::BoolWeight(), query)) {
        all.push_back({docid, 0});
    }
    PoolScorer scorer(database, model);
    Scores scores;
    for (const auto& entry : rescore(scorer, model_fusion(model), query, all, all.size()).entries) {
        scores[entry.docid] = entry.score;
    }
    return scores;
}

std::vector<Xapian::docid> documents_of(const SearchResult& result) {
    std::vector<Xapian::docid> documents;
    for (const SearchHit& hit : result.hits) documents.push_back(hit.docid);
    std::sort(documents.begin(), documents.end());
    return documents;
}

// The raw scores of a model's three rankers, as one query to learn from.
TrainingSet pool_of(const Searcher& searcher, const FusionModel& model, const Query& query,
                    const std::vector<Xapian::docid>& documents, PoolScorerOptions options = {}) {
    const PoolScores raw = PoolScorer(searcher.database(), model, options).score(query, documents);
    TrainingSet pool;
    pool.rankers = {"a", "b", "c"};
    pool.queries = {"1"};
    pool.query_begin = {0, documents.size()};
    pool.scores = raw.rows.scores;
    pool.places = raw.rows.places;
    pool.grades.assign(documents.size(), 0);
    return pool;
}

}  // namespace

TEST_CASE("Rescored search: with room for all, it is the fusion of all that match", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, 120, 40);
    for (const std::size_t shards : {1U, 2U}) {
        const Xapian::Database database = corpus.database(shards);
        for (const std::string normaliser : {"min-max", "z-score", "rank"}) {
            const FusionModel model = normalised(normaliser);
            Searcher searcher(database);
            searcher.rank_by(model);
            for (int round = 0; round < 5; ++round) {
                const Query query = bag_of_words(corpus.corpus().random_words(random, 3));
                const SearchResult result = searcher.search(request_of(query));
                const Scores expected = fused_by_definition(database, model, query);
                REQUIRE(result.hits.size() == expected.size());
                for (std::size_t i = 0; i < result.hits.size(); ++i) {
                    const SearchHit& hit = result.hits[i];
                    CHECK(hit.rank == i + 1);
                    CHECK_THAT(hit.score, Catch::WithinAbs(expected.at(hit.docid), 1e-12));
                    if (i > 0) CHECK(hit.score <= result.hits[i - 1].score);
                }
            }
        }
    }
}

TEST_CASE("Rescored search: an explanation says what is known of a sum of steps") {
    FusionModel model = normalised("none");
    set_model_function(model, StepFunction{3, {0, 1, 1}, {2, 0.1, 0.5}, {1, 2, -4}});
    CHECK_THAT(model_fusion(model).name, Contains("1 ranker rises, 1 does both; from -2 to 3"));
}

TEST_CASE("Rescored search: learned functions that are no sums with weights from 0 up") {
    Random random(seed(), 7);
    const TopicCorpus corpus(random, 120, 40);
    ForestFunction forest;
    forest.rankers = 3;
    forest.nodes = {{.ranker = 1, .threshold = 0.3, .below = 1, .above = 2}, {}, {.value = 1}};
    forest.roots = {0};
    forest.weights = {1};
    const std::vector<RankingFunction> functions = {
        LinearFunction{{0.5, 20, -1}},
        StepFunction{
            .width = 3, .rankers = {0, 1, 1}, .thresholds = {2, 0.1, 0.5}, .rises = {1, 2, 4}},
        BordaFunction{{{1, 0, 0}, {0, 1, 0}}}, forest};
    Searcher searcher(corpus.database(2));
    const Query query = bag_of_words({"w0", "w3"});
    for (const RankingFunction& function : functions) {
        FusionModel model = normalised("none");
        set_model_function(model, function);
        CAPTURE(model.function.form);
        searcher.rank_by(model);
        SearchRequest request = request_of(query);
        request.explain = true;
        const SearchResult result = searcher.search(request);
        REQUIRE(result.hits.size() > 20);

        const std::vector<Xapian::docid> documents = documents_of(result);
        const TrainingSet pool = pool_of(searcher, model, query, documents);
        std::vector<double> expected(documents.size());
        score_pool(function, pool, 0, expected);

        const bool adds = model.function.form != "borda" && model.function.form != "forest";
        for (const SearchHit& hit : result.hits) {
            const auto row = std::lower_bound(documents.begin(), documents.end(), hit.docid);
            CHECK(hit.score == expected[static_cast<std::size_t>(row - documents.begin())]);
            double sum = 0;
            for (const auto& ranker : hit.explanation->rankers) sum += ranker.contribution;
            if (adds) CHECK_THAT(sum, Catch::WithinAbs(hit.score, 1e-12));
            CHECK(hit.explanation->note.empty() == adds);
        }
    }
}

TEST_CASE("Rescored search: fusion methods fuse the rankers' own lists", "[property]") {
    Random random(seed(), 9);
    const TopicCorpus corpus(random, 120, 40);
    FusionModel model = normalised("none");
    model.rankers[2] = {.ranker = "lm-jm"};
    for (const std::size_t shards : {1U, 2U}) {
        Searcher searcher(corpus.database(shards));
        for (const FusionInfo& info : fusion_methods()) {
            INFO(info.name);
            const FusionOptions options{.method = info.name, .weights = {1, 2, 0.5}};
            SearchRequest request = request_of(bag_of_words({"w0", "w3"}));
            request.candidates = SearchSettings::Candidates::kAll;
            // Each ranker's list by a search of its own.
            std::vector<double> pool;
            std::vector<Scores> lists;
            for (const RankerSpec& spec : model.rankers) {
                lists.push_back(
                    searched(searcher.database(), {.rankers = {{.ranker = spec.ranker}}}, request));
            }
            request.explain = true;
            searcher.rank_by(fused_model(model, options));
            const SearchResult result = searcher.search(request);
            REQUIRE(result.hits.size() > 60);
            for (const SearchHit& hit : result.hits) {
                for (const Scores& list : lists) {
                    const auto found = list.find(hit.docid);
                    const bool has = found != list.end() && found->second > 0;
                    pool.push_back(has ? found->second : std::nan(""));
                }
            }
            const std::vector<double> expected = Fuser(options).fuse({.lists = 3, .scores = pool});
            for (std::size_t i = 0; i < result.hits.size(); ++i) {
                const SearchHit& hit = result.hits[i];
                CHECK_THAT(hit.score, Catch::WithinAbs(expected[i], 1e-9));
                double sum = 0;
                for (std::size_t k = 0; k < 3; ++k) {
                    const RankerExplanation& own = hit.explanation->rankers[k];
                    sum += own.contribution;
                    const bool is_absent = std::isnan(pool[3 * i + k]);
                    CHECK((own.note == "its list lacks the document") == is_absent);
                    CHECK(own.place.has_value() == (!is_absent && !info.uses_scores));
                    if (own.place && info.name == "rrf") {
                        CHECK(own.contribution ==
                              Approx(options.weights[k] / (60 + *own.place)).epsilon(1e-12));
                    }
                }
                if (info.adds_up) CHECK_THAT(sum, Catch::WithinAbs(hit.score, 1e-12));
            }
        }
    }
}

TEST_CASE("Rescored search: weights by the candidates' neighbours in topic space") {
    Random random(seed(), 8);
    const TopicCorpus corpus(random, 120, 40);
    SemiSupervisedFunction function{.base = {0.4, 0.4, 0.2},
                                    .margins = {1, 2, 0.5, 2, 0.5, 1},
                                    .alpha = {0.5, 0.1},
                                    .eta = {0, 0, 0},
                                    .gamma = 20,
                                    .neighbours = 3,
                                    .by_places = true};
    FusionModel model = normalised("min-max");
    set_model_function(model, function);
    Searcher searcher(corpus.database(2));
    searcher.rank_by(model);
    SearchRequest request = request_of(bag_of_words({"w0", "w3"}));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    const std::vector<Xapian::docid> documents = documents_of(result);
    TrainingSet pool = pool_of(searcher, model, *request.query, documents, {.places = true});
    normalise(pool, {.normaliser = "min-max"});
    std::vector<double> expected(documents.size());
    score_pool(function, pool, 0, expected);
    const std::vector<double> weights = score_parts(function, pool, 0).weights;
    for (const SearchHit& hit : result.hits) {
        const auto row = std::lower_bound(documents.begin(), documents.end(), hit.docid);
        CHECK(hit.score == expected[static_cast<std::size_t>(row - documents.begin())]);
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(hit.explanation->rankers[k].weight == weights[k]);
        }
    }
    // Neighbours by scores are others.
    function.by_places = false;
    CHECK(score_parts(function, pool, 0).weights != weights);
    FusionModel words{.rankers = {{.ranker = "bm25"}, {.ranker = "tf"}, {.ranker = "idf"}}};
    function.by_places = true;
    set_model_function(words, function);
    CHECK_THROWS_WITH(searcher.rank_by(words),
                      Contains("no ranker of the model uses a topic model"));
}

TEST_CASE("Rescored search: pages are parts of one list, window or not") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 20);
    Searcher searcher(corpus.database(2));
    searcher.rank_by(normalised("min-max"));
    for (const Xapian::doccount window : {5U, 40U, 1000U}) {
        SearchRequest request = request_of(bag_of_words({"w0", "w4"}));
        request.window = window;
        const SearchResult whole = searcher.search(request);
        REQUIRE(whole.hits.size() > 60);
        CHECK(whole.run.rescored == std::min<std::size_t>(window, whole.hits.size()));
        request.count = 7;
        for (request.first = 0; request.first < 60; request.first += 7) {
            const SearchResult page = searcher.search(request);
            REQUIRE(page.hits.size() == 7);
            for (std::size_t i = 0; i < 7; ++i) {
                const SearchHit& same = whole.hits[request.first + i];
                CHECK(page.hits[i].docid == same.docid);
                CHECK(page.hits[i].score == same.score);
                CHECK(page.hits[i].rank == same.rank);
            }
        }
    }
}

TEST_CASE("Rescored search: explanations add up, and say how it was run") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 100, 20);
    Searcher searcher(corpus.database());
    searcher.rank_by(normalised("min-max"));
    SearchRequest request = request_of(bag_of_words({"w0", "w4"}));
    request.explain = true;
    request.window = 20;
    const SearchResult result = searcher.search(request);
    CHECK_THAT(result.run.path,
               Contains("the best 20 of it") && Contains("min-max") && Contains(" ms"));
    CHECK(result.run.rescoring_milliseconds > 0);
    for (const SearchHit& hit : result.hits) {
        const Explanation& explanation = hit.explanation.value();
        CHECK(explanation.path == result.run.path);
        if (hit.rank > 20) {
            CHECK(explanation.rankers.empty());
            CHECK_THAT(explanation.note, Contains("order of the first pass"));
            continue;
        }
        REQUIRE(explanation.rankers.size() == 3);
        double sum = 0;
        for (const RankerExplanation& ranker : explanation.rankers) {
            sum += ranker.contribution;
            CHECK(ranker.normalised.value() >= 0);
            CHECK(ranker.normalised.value() <= 1);
            CHECK(ranker.value.value() <= ranker.bound.value());
        }
        CHECK_THAT(sum, Catch::WithinAbs(hit.score, 1e-12));
        CHECK(explanation.rankers[2].value.value() > 0);
    }
}

TEST_CASE("Rescored search: the normaliser bound knows the most that phrases give") {
    Random random(seed(), 8);
    const TopicCorpus corpus(random, 120, 10);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model{.rankers = {{.ranker = "bm25"}, {.ranker = "pl2"}},
                            .normaliser = {.normaliser = "bound"}};
    Searcher searcher(database);
    searcher.rank_by(model);
    const Query phrase(Query::OP_PHRASE, Query("w0"), Query("w1"));
    const Query synonym(Query::OP_SYNONYM, Query("w3"), Query("w4"));
    for (const Query& query :
         {Query(Query::OP_OR, phrase, Query("w2")), Query(Query::OP_OR, synonym, Query("w2")),
          Query(Query::OP_MAX, phrase, Query("w2"))}) {
        INFO(query.get_description());
        SearchRequest request = request_of(query);
        request.explain = true;
        const SearchResult result = searcher.search(request);
        REQUIRE(result.hits.size() > 20);
        for (const SearchHit& hit : result.hits) {
            CHECK(hit.score > 0);
            double sum = 0;
            for (const RankerExplanation& ranker : hit.explanation->rankers) {
                CHECK(ranker.value.value() <= ranker.bound.value() * (1 + 1e-12));
                sum += *ranker.value / *ranker.bound;
            }
            CHECK_THAT(hit.score, WithinRel(sum, 1e-12));
        }
    }
}

TEST_CASE("Rescored search: rankers that need unique terms count") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 100, 30);
    const Xapian::Database database = corpus.database(2);
    FusionModel model{.rankers = {{.ranker = "bm25"}, {.ranker = "lm-absdiscount", .weight = 2}}};
    const Query query = bag_of_words({"w0", "w1", "w6"});
    Searcher searcher(database);
    searcher.rank_by(model);
    const SearchResult result = searcher.search(request_of(query));
    REQUIRE(result.hits.size() > 50);
    // What an explanation of one pass says of the same two rankers.
    model.rankers[1].weight = 0;
    searcher.rank_by(model);
    SearchRequest request = request_of(query);
    request.explain = true;
    const SearchResult plain = searcher.search(request);
    Scores expected;
    for (const SearchHit& hit : plain.hits) {
        const auto& rankers = hit.explanation->rankers;
        expected[hit.docid] = *rankers[0].value + 2 * *rankers[1].value;
    }
    CHECK(plain.run.rescored == 0);
    check_equal(scores_of(result), expected, 1e-9);
}

TEST_CASE("Rescored search: phrases, filters, least scores, and what is refused") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 150, 8);
    Searcher searcher(corpus.database());
    searcher.rank_by(normalised("min-max"));
    const SearchResult phrases =
        searcher.search({.text = "\"w0 w1\" w2", .count = 150, .explain = true});
    REQUIRE(phrases.hits.size() > 10);
    CHECK_THAT(phrases.hits[0].explanation->rankers[0].value.value(), !WithinRel(0.0, 1e-12));

    SearchRequest request = request_of(bag_of_words({"w0", "w1"}));
    const SearchResult all = searcher.search(request);
    request.filter = Query("XEVEN");
    const SearchResult even = searcher.search(request);
    CHECK(even.hits.size() < all.hits.size());
    for (const SearchHit& hit : even.hits) CHECK(hit.docid % 2 == 1);
    request.filter.reset();
    request.min_score = all.hits[9].score;
    CHECK(searcher.search(request).hits.size() == 10);
    request.sort = SortBy{.slot = 1};
    CHECK_THROWS_WITH(searcher.search(request), Contains("sorted by a value"));
    CHECK(searcher.search(request_of(Query())).hits.empty());

    FusionModel unknown = normalised("min-max");
    unknown.function = {.form = "trees", .numbers = {{"cuts", {1}}}};
    CHECK_THROWS_AS(searcher.rank_by(unknown), UnknownComponent);
    FusionModel by_query = normalised("none");
    set_model_function(by_query, AttentionFunction{.base = {1, 2, 3},
                                                   .dimensions = 1,
                                                   .rankers = {0, 0, 0},
                                                   .features = {"clicks"},
                                                   .means = {0},
                                                   .deviations = {1},
                                                   .matrix = {1},
                                                   .offset = {0},
                                                   .known = {}});
    CHECK_THROWS_WITH(searcher.rank_by(by_query), Contains("'clicks', which no search computes"));
    CHECK_THROWS_WITH(model_fusion(by_query), Contains("QueryWeights"));
    FusionModel feature;
    feature.rankers = {{.ranker = "feature", .name = "clicks"}};
    feature.normaliser.normaliser = "min-max";
    CHECK_THROWS_AS(searcher.rank_by(feature), ModelMismatch);
}

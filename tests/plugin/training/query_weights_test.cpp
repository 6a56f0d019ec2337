// SPDX-License-Identifier: GPL-2.0-or-later
// Models whose weights follow from the query: the same weights and scores in training, in every way
// of searching, and by hand.
#include "braid/plugin/ranking/query_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "braid/core/learn/learner.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/training/feature_extractor.h"
#include "braid/progress.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

const std::vector<std::string> kRankers = {"bm25", "lm-dirichlet", "lsa", "lda"};

FusionModel ranker_model() {
    FusionModel model{.rankers = {}};
    for (const std::string& name : kRankers) model.rankers.push_back({.ranker = name});
    return model;
}

// Random numbers everywhere; weights differ a lot from query to query.
AttentionFunction random_function(Random& random, const std::vector<std::string>& features,
                                  bool non_negative = true) {
    AttentionFunction function;
    function.dimensions = 3;
    function.features = features;
    function.non_negative = non_negative;
    const auto draw = [&](std::size_t count, double size) {
        std::vector<double> values(count);
        for (double& value : values) value = size * random.normal();
        return values;
    };
    function.base = {0.5, 0.3, 2, 1};
    function.rankers = draw(kRankers.size() * 3, 1);
    function.means = draw(features.size(), 1);
    function.deviations.assign(features.size(), 2);
    function.matrix = draw(3 * features.size(), 0.5);
    function.offset = draw(3, 0.2);
    return function;
}

FusionModel with_function(const AttentionFunction& function) {
    FusionModel model = ranker_model();
    set_model_function(model, function);
    return model;
}

QueryInputs inputs_of(Random& random) {
    QueryInputs inputs;
    for (int i = 0; i < 4; ++i) {
        inputs.embeddings["mine"].push_back(static_cast<float>(random.normal()));
    }
    return inputs;
}

// What the words of a query give an extractor.
std::string text_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}

FeatureOptions all_features() {
    FeatureOptions options;
    options.query_features = {
        .words = true, .topics = true, .lists = true, .embeddings = {{"mine", 4}}};
    options.pool.size = 0;
    options.search.search.candidates = SearchSettings::Candidates::kAll;
    return options;
}

}  // namespace

TEST_CASE("Query weights: training and search have the same features and scores", "[property]") {
    Random random(seed(), 71);
    const TopicCorpus corpus(random, 150, 30, VectorCoding::kSigned8, TopicCorpus::kIntact);
    std::vector<std::vector<double>> seen;  // On one shard, by query.
    for (const std::size_t shards : {1U, 2U, 4U}) {
        Random queries(seed(), 72);
        const Xapian::Database database = corpus.database(shards);
        FeatureExtractor extractor(database, ranker_model(), all_features());
        const std::vector<std::string>& names = extractor.query_feature_names();
        REQUIRE(names.size() == 7 + 2 + 16 + 4 + 6);
        const AttentionFunction function = random_function(queries, names);
        const FusionModel model = with_function(function);
        QueryWeights weights(database, model);
        Searcher searcher(database);
        searcher.rank_by(model);
        for (std::size_t i = 0; i < 12; ++i) {
            const std::vector<std::string> words = corpus.corpus().random_words(queries, 4);
            const QueryInputs inputs = inputs_of(queries);
            INFO(shards << " shards, " << text_of(words));
            const TrainingSet rows = extractor.extract({"q", text_of(words), inputs}, nullptr);
            const Query query = searcher.bag_of_words(text_of(words));
            const QueryWeighting weighting = weights.of(query, inputs);
            REQUIRE(weighting.features.size() == names.size());
            for (std::size_t f = 0; f < names.size(); ++f) {
                INFO(names[f]);
                CHECK_THAT(weighting.features[f], WithinAbs(rows.query_features[f], 1e-12));
                if (shards > 1) CHECK_THAT(weighting.features[f], WithinAbs(seen[i][f], 1e-12));
            }
            if (shards == 1) seen.push_back(weighting.features);
            const std::vector<double> expected =
                attention_weights(function, "q", rows.query_features);
            for (std::size_t k = 0; k < kRankers.size(); ++k) {
                CHECK_THAT(weighting.weights[k], WithinAbs(expected[k], 1e-12));
                CHECK(weighting.weights[k] == weighting.model.rankers[k].weight);
            }

            // Every way of searching gives the rows' sums.
            std::map<std::string, double> sums;
            for (std::size_t d = 0; d < rows.documents.size(); ++d) {
                for (std::size_t k = 0; k < kRankers.size(); ++k) {
                    sums[rows.documents[d]] += expected[k] * rows.scores[d * kRankers.size() + k];
                }
            }
            SearchRequest request = request_of(query, 200);
            request.inputs = inputs;
            for (const auto path : {SearchRequest::Path::kFastest, SearchRequest::Path::kPlain}) {
                request.path = path;
                const SearchResult result = searcher.search(request);
                CHECK(result.run.rescored == 0);
                CHECK(result.run.pruned == (path == SearchRequest::Path::kFastest));
                CHECK_THAT(result.run.path, Contains("weights of this query from 35 of its"));
                for (const SearchHit& hit : result.hits) {
                    CHECK_THAT(hit.score, WithinAbs(sums.at(hit.name), 1e-9));
                }
            }
        }
    }
}

TEST_CASE("Query weights: filters, pages and paths change nothing", "[property]") {
    Random random(seed(), 73);
    const TopicCorpus corpus(random, 150, 20, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database(2);
    const AttentionFunction function =
        random_function(random, {"length", "idf-max", "topic:lsa:0", "known:lda"});
    const FusionModel model = with_function(function);
    Searcher searcher(database);
    searcher.rank_by(model);
    QueryWeights weights(database, model);
    for (int i = 0; i < 10; ++i) {
        const Query query = bag_of_words(corpus.corpus().random_words(random, 4));
        const Scores all = scores_of(searcher.search(request_of(query)));
        // By the drop-in way, without what only sources give.
        FusionModel own = weights.of(query).model;
        for (const std::size_t k : {2U, 3U}) own.rankers[k].weight = 0;
        const bool any = own.rankers[0].weight + own.rankers[1].weight > 0;
        // Words that no document has are among a query's, and may be all of it.
        const std::size_t found = all_matches(database, Xapian::BM25Weight(), query).size();
        if (any) CHECK(all_matches(database, FusedWeight(own), query).size() == found);
        // The fixed model of the query's weights is the same search.
        Searcher fixed(database);
        fixed.rank_by(weights.of(query).model);
        check_equal(scores_of(fixed.search(request_of(query))), all, 1e-12);

        SearchRequest filtered = request_of(query);
        filtered.filter = Query("XEVEN");
        for (const auto& [docid, score] : scores_of(searcher.search(filtered))) {
            CHECK(docid % 2 == 1);
            CHECK_THAT(score, WithinRel(all.at(docid), 1e-12));
        }
        SearchRequest page = request_of(query, 5);
        page.first = 3;
        for (const SearchHit& hit : searcher.search(page).hits) {
            CHECK_THAT(hit.score, WithinRel(all.at(hit.docid), 1e-12));
        }
    }
    const SearchResult phrases =
        searcher.search({.text = "\"w0 w1\" w2", .count = 150, .explain = true});
    REQUIRE(phrases.hits.size() > 5);
    for (const SearchHit& hit : phrases.hits) {
        double sum = 0;
        for (const auto& ranker : hit.explanation->rankers) sum += ranker.contribution;
        CHECK_THAT(sum, WithinAbs(hit.score, 1e-9));
    }
}

TEST_CASE("Query weights: explanations have the query's weights beside the mean ones") {
    Random random(seed(), 74);
    const TopicCorpus corpus(random, 100, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const AttentionFunction function = random_function(random, {"words", "list:agreement"});
    const FusionModel model = with_function(function);
    Searcher searcher(corpus.database());
    searcher.rank_by(model);
    SearchRequest request = request_of(bag_of_words({"w0", "w3"}));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE_FALSE(result.hits.empty());
    const QueryWeighting weighting = QueryWeights(corpus.database(), model).of(*request.query);
    CHECK(weighting.first_pass > 20);
    CHECK(result.run.weighting_documents == weighting.first_pass);
    CHECK(result.run.weighting_milliseconds > 0);
    CHECK_THAT(result.run.path, Contains("with a first pass over"));
    const std::vector<double> mean = mean_weights(function);
    CHECK(mean != weighting.weights);
    for (std::size_t k = 0; k < kRankers.size(); ++k) {
        const RankerExplanation& ranker = result.hits[0].explanation->rankers[k];
        CHECK_THAT(ranker.weight, WithinRel(weighting.weights[k], 1e-12));
        CHECK(ranker.mean_weight.value() == mean[k]);
    }
}

TEST_CASE("Query weights: negative ones are cut, or served by a second look") {
    Random random(seed(), 75);
    const TopicCorpus corpus(random, 100, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database();
    AttentionFunction function = random_function(random, {"words"});
    function.matrix = {1, 0, 0};
    function.offset = {0, 0, 0};
    function.means = {1};
    function.deviations = {1};
    function.rankers = {1, 0, 0, /**/ -1, 0, 0, /**/ -9, 0, 0, /**/ 0, 0, 0};
    const Query query = bag_of_words({"w0", "w3"});  // One word more than the mean.
    QueryWeights cut(database, with_function(function));
    CHECK(cut.of(query).weights == std::vector<double>{1.5, 0, 0, 1});
    CHECK(cut.of(query).mean_weights == std::vector<double>{0.5, 0.3, 2, 1});
    // Where nothing is left, the fixed ones are.
    function.rankers = {-9, 0, 0, /**/ -9, 0, 0, /**/ -9, 0, 0, /**/ -9, 0, 0};
    CHECK(QueryWeights(database, with_function(function)).of(query).weights == function.base);

    function.rankers = {1, 0, 0, /**/ -1, 0, 0, /**/ -9, 0, 0, /**/ 0, 0, 0};
    function.non_negative = false;
    const FusionModel any = with_function(function);
    CHECK_THAT(why_not_served(Server::kPostings, any, {.query = true}),
               Contains("may be negative"));
    Xapian::WritableDatabase writable("", Xapian::DB_BACKEND_INMEMORY);
    store_fusion_model(writable, any);
    CHECK(load_fusion_model(writable) == any);
    Searcher searcher(database);
    searcher.rank_by(any);
    SearchRequest request = request_of(query);
    request.explain = true;
    const SearchResult result = searcher.search(request);
    CHECK(result.run.rescored == result.hits.size());
    CHECK_THAT(result.run.path, Contains("rescored") && Contains("weights of this query"));
    for (const SearchHit& hit : result.hits) {
        double sum = 0;
        const std::vector<double> weights = {1.5, 0.3 - 1, 2 - 9, 1};
        for (std::size_t k = 0; k < kRankers.size(); ++k) {
            const RankerExplanation& ranker = hit.explanation->rankers[k];
            CHECK_THAT(ranker.weight, WithinAbs(weights[k], 1e-12));
            CHECK(ranker.mean_weight.value() == function.base[k]);
            sum += weights[k] * ranker.value.value();
        }
        CHECK_THAT(hit.score, WithinAbs(sum, 1e-9));
    }
}

TEST_CASE("Query weights: a database's own model, and what a single weight is not told") {
    Random random(seed(), 76);
    const TopicCorpus corpus(random, 80, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    const FusionModel model = with_function(random_function(random, {"words", "topic:lda:3"}));
    store_fusion_model(database, model);
    database.commit();
    Searcher own{Xapian::Database(database)};
    Searcher given(corpus.database());
    given.rank_by(model);
    const SearchRequest request = request_of(bag_of_words({"w0", "w2", "w5"}));
    check_equal(scores_of(own.search(request)), scores_of(given.search(request)), 1e-12);
    FusionModel lexical = model;
    lexical.rankers = {{.ranker = "bm25"}};
    CHECK_THROWS_WITH(FusedWeight(lexical), Contains("QueryWeights"));
    CHECK(FusedSource::why_not(Query("w0"), model) != "");
    CHECK(QueryWeights::are_in(model));
    CHECK_FALSE(QueryWeights::are_in(ranker_model()));
    CHECK_THROWS_AS(QueryWeights(corpus.database(), ranker_model()), InvalidArgument);
}

TEST_CASE("Query weights: Ranking computes them for each query, whatever its way") {
    Random random(seed(), 78);
    const TopicCorpus corpus(random, 80, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model =
        with_function(random_function(random, {"words", "length", "embedding:mine:3"}));
    Ranking ranking(database, model);
    for (const Query& query :
         {bag_of_words({"w0", "w2", "w5"}), Query(Query::OP_SYNONYM, Query("w0"), Query("w1"))}) {
        SearchRequest request = request_of(query);
        request.inputs = inputs_of(random);
        const Applied found = applied(ranking, database, query, {.inputs = request.inputs});
        CHECK(found.chosen.run.pruned == (query.get_type() == Query::OP_OR));
        CHECK_THAT(found.chosen.run.path, Contains("weights of this query"));
        check_equal(found.scores, searched(database, model, request), 1e-12);
    }
}

TEST_CASE("Query weights: queries that recur have their own, in whatever order their words come") {
    Random random(seed(), 77);
    const TopicCorpus corpus(random, 80, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database();
    FeatureExtractor extractor(database, ranker_model());
    AttentionFunction function = random_function(random, {"words"});
    const TrainingSet rows = extractor.extract({"7", "w1 w3"}, nullptr);
    function.known[rows.query_keys[0]] = {1, 2, 3};
    const FusionModel model = with_function(function);
    QueryWeights weights(database, model);
    const std::vector<double> expected = attention_weights(function, rows.query_keys[0], {});
    for (const Query& query :
         {bag_of_words({"w1", "w3"}), bag_of_words({"w3", "w1", "w3"}),
          Query(Query::OP_FILTER, bag_of_words({"w3", "w1"}), Query("XEVEN"))}) {
        const QueryWeighting weighting = weights.of(query);
        CHECK(weighting.recurs);
        CHECK(weighting.features.empty());
        CHECK(weighting.weights == expected);
    }
    CHECK_FALSE(weights.of(bag_of_words({"w1", "w3", "w4"})).recurs);
    CHECK(weights.of(bag_of_words({"w1"})).weights != expected);

    // Learned so from a database: two queries of the same words are one.
    const std::vector<TrainingQuery> queries = {{"1", "w0 w1"}, {"2", "w1 w0"}, {"3", "w2"}};
    Judgements judgements;
    for (const std::string id : {"1", "2", "3"}) {
        for (int d = 1; d < 80; d += 3) judgements.add(id, std::to_string(d), d % 2);
    }
    const TrainingSet set = make_training_set(
        queries, &judgements,
        [&] { return std::make_unique<FeatureExtractor>(database, ranker_model()); },
        *make_executor(1));
    CHECK(set.query_keys == std::vector<std::string>{"w0 w1", "w0 w1", "w2"});
    const TrainingResult result =
        fit_learner("awel", set,
                    {.parameters = {{"passes", 5}},
                     .choices = {{"embedding", "query"}, {"weights", "non-negative"}}},
                    *make_executor(1));
    const auto& learned = std::get<AttentionFunction>(result.function);
    CHECK(learned.known.size() == 2);
    CHECK(learned.non_negative);
    CHECK(QueryWeights(database, with_function(learned)).of(bag_of_words({"w1", "w0"})).recurs);
}

TEST_CASE("Query weights: finite for any query, and wrong embeddings are refused") {
    Random random(seed(), 78);
    const TopicCorpus corpus(random, 80, 10, VectorCoding::kSigned8, TopicCorpus::kIntact);
    const Xapian::Database database = corpus.database();
    const FusionModel model = with_function(random_function(
        random, {"length", "idf-min", "topic:lsa:1", "embedding:mine:0", "embedding:mine:3"}));
    QueryWeights weights(database, model);
    const float huge = std::numeric_limits<float>::max();
    for (const float x : {1e-30F, huge, -huge, 0.5F}) {
        for (const Query& query : {Query(), Query("unheard"), bag_of_words({"w0", "w1"})}) {
            for (const double weight :
                 weights.of(query, {.embeddings = {{"mine", {x, 0, 0, x}}}}).weights) {
                CHECK(std::isfinite(weight));
                CHECK(weight >= 0);
            }
        }
    }
    const auto refused = [&](const QueryInputs& inputs, const std::string& what) {
        CHECK_THROWS_WITH(weights.of(Query("w0"), inputs), Contains(what));
    };
    refused({}, "follow from an embedding 'mine'");
    refused({.embeddings = {{"mine", {1, 2, 3}}}}, "has 3 numbers, expected 4");
    refused({.embeddings = {{"mine", {0, 0, 0, 0}}}}, "all zero");
    refused({.embeddings = {{"mine", {}}}}, "is empty");
    refused({.embeddings = {{"mine", {1, NAN, 0, 0}}}}, "holds nan");
    for (const auto& [name, reason] : {std::pair("clicks", "no search computes"),
                                       {"topic:plsi:0", "no ranker of it uses"},
                                       {"known:none", "no ranker of it uses"},
                                       {"topic:lsa:x", "no search computes"}}) {
        CHECK_THROWS_WITH(QueryWeights(database, with_function(random_function(random, {name}))),
                          Contains(reason));
    }
    QueryWeights beyond(database, with_function(random_function(random, {"topic:lsa:8"})));
    CHECK_THROWS_WITH(beyond.of(Query("w0")), Contains("has 8 dimensions"));
}

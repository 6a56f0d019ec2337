// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/model_function.h"
#include "braid/error.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kDocuments = 150;

std::string mismatch(const Xapian::Database& database, const FusionModel& model,
                     const SearcherOptions& options = {}) {
    return error_of<ModelMismatch>(
        [&] { searched(database, model, request_of(Query("w0")), options); });
}

}  // namespace

TEST_CASE("Topic search: a model that does not fit the database is refused") {
    Random random(seed(), 7);
    const TopicCorpus corpus(random, 40, 20);
    const Xapian::Database database = corpus.database();
    CHECK(mismatch(database, bm25_and_lsa(1)).empty());
    FusionModel other{.rankers = {{.ranker = "plsi"}}};
    CHECK_THAT(mismatch(database, other), Contains("plsi") && Contains("lsa") && Contains("lda"));
    other.rankers[0] = {.ranker = "plsi", .topics = "lda"};
    CHECK_THAT(mismatch(database, other), Contains("plsi:lda") && Contains("kind lda"));
    FusionModel older = bm25_and_lsa(1);
    older.provenance.topic_models = {{"lsa", "0123456789abcdef"}, {"lda", "not used"}};
    CHECK_THAT(mismatch(database, older),
               Contains("0123456789abcdef") && Contains(corpus.topics("lsa").id));
    older.provenance.topic_models[0].id = corpus.topics("lsa").id;
    CHECK(mismatch(database, older).empty());
    SearcherOptions stemmed;
    stemmed.index = IndexSettings{};
    CHECK_THAT(mismatch(database, bm25_and_lsa(1), stemmed),
               Contains("none") && Contains("english"));
    // A ranker that doesn't count is only missing from reports.
    FusionModel idle{.rankers = {{.ranker = "bm25"}, {.ranker = "plsi", .weight = 0}}};
    Searcher searcher(database);
    searcher.rank_by(idle);
    SearchRequest request = request_of(Query("w0"));
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE_FALSE(result.hits.empty());
    CHECK_FALSE(result.hits[0].explanation->rankers[1].value.has_value());
    CHECK_THAT(result.hits[0].explanation->rankers[1].note, Contains("plsi"));
    CHECK_THROWS_AS(FusedWeight(bm25_and_lsa(1)), InvalidArgument);
}

TEST_CASE("Topic search: a database's own model ranks until another is given") {
    Random random(seed(), 8);
    const TopicCorpus corpus(random, 60, 20);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    CHECK_FALSE(load_fusion_model(database).has_value());
    store_fusion_model(database, bm25_and_lsa(4));
    CHECK(load_fusion_model(database) == bm25_and_lsa(4));
    Searcher searcher(database);
    const SearchRequest request = request_of(bag_of_words({"w0", "w1"}));
    check_equal(scores_of(searcher.search(request)), naive(corpus, bm25_and_lsa(4), {"w0", "w1"}),
                1e-9);
    searcher.rank_by(FusionModel{});
    check_equal(scores_of(searcher.search(request)), naive(corpus, {}, {"w0", "w1"}), 1e-9);
    remove_fusion_model(database);
    CHECK_FALSE(load_fusion_model(database).has_value());
    database.set_metadata("braid:model", "something else");
    Searcher foreign(database);
    CHECK_THROWS_WITH(foreign.search(request), Contains("braid:model"));
    foreign.rank_by(FusionModel{});  // For which the database's own isn't read.
    check_equal(scores_of(foreign.search(request)), naive(corpus, {}, {"w0", "w1"}), 1e-9);
    // What needs two passes is kept like others; what nothing serves isn't.
    FusionModel normalised = bm25_and_lsa(2);
    normalised.normaliser.normaliser = "min-max";
    store_fusion_model(database, normalised);
    CHECK(load_fusion_model(database) == normalised);
    const SearchResult rescored = Searcher(database).search(request);
    CHECK(rescored.run.rescored == rescored.hits.size());
    CHECK(rescored.hits.front().score > 0);
    FusionModel signed_weights = bm25_and_lsa(2);
    set_model_function(signed_weights, LinearFunction{{1, -0.5}});
    CHECK_NOTHROW(store_fusion_model(database, signed_weights));
    FusionModel wrong;
    wrong.rankers[0].weight = 0;
    CHECK_THROWS_AS(store_fusion_model(database, wrong), InvalidArgument);
    const FusionModel feature{.rankers = {{.ranker = "feature", .name = "clicks"}}};
    CHECK_THROWS_AS(store_fusion_model(database, feature), ModelMismatch);
    FusionModel unknown;
    unknown.function = {.form = "oracle"};
    CHECK_THROWS_AS(store_fusion_model(database, unknown), UnknownComponent);
}

TEST_CASE("Topic search: a writer that trains anew meanwhile is followed") {
    constexpr std::size_t kMany = 600;
    Random random(seed(), 9);
    const TopicCorpus corpus(random, kMany, 200);
    const TopicCorpus later(random, kMany, 200);
    const TemporaryFolder folder;
    const std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    corpus.write_shard(writer, 0, 1);
    store_fusion_model(writer, bm25_and_lsa(4));
    writer.commit();
    SearcherOptions options;
    options.follows = false;
    Searcher searcher(SearchPaths{{path}}, options);
    const std::vector<std::string> words = {"w0", "w1"};
    const SearchRequest request = request_of(bag_of_words(words), kMany);
    check_equal(scores_of(searcher.search(request)), naive(corpus, bm25_and_lsa(4), words), 1e-9);
    const Xapian::Database texts = later.database();
    for (Xapian::docid docid = 1; docid <= kMany; ++docid) {
        writer.replace_document(docid, texts.get_document(docid));
        if (docid % 100 == 0) writer.commit();
    }
    for (const char* name : {"lsa", "lda"}) {
        const CorpusTopics& topics = later.topics(name);
        write_topic_model(writer, topics.id, topics.record, {}, topics.model);
        clear_topic_keys(writer, publish_topic_model(writer, {name, topics.id}));
    }
    store_fusion_model(writer, bm25_and_lsa(1));
    writer.commit();
    const SearchResult result = searcher.search(request);
    CHECK(result.reopened > 0);
    check_equal(scores_of(result), naive(later, bm25_and_lsa(1), words), 1e-9);
}

TEST_CASE("Topic search: sidecars hold the vectors of a database that stays untouched") {
    Random random(seed(), 10);
    const TopicCorpus corpus(random, kDocuments, 40);
    const TemporaryFolder folder;
    const Xapian::Database database = corpus.corpus().stored_database(folder.path().string(), 2);
    const std::vector<Xapian::Database> sidecars = corpus.sidecars(database);
    const std::vector<std::string> words = {"w0", "w2", "w3"};
    SearchRequest request = request_of(bag_of_words(words));
    request.explain = true;
    SearcherOptions options;
    options.sidecars = sidecars;
    for (const Candidates candidates : {Candidates::kWords, Candidates::kAll}) {
        request.candidates = candidates;
        Searcher searcher(database, options);
        searcher.rank_by(bm25_and_lsa(4));
        const SearchResult result = searcher.search(request);
        check_equal(scores_of(result), naive(corpus, bm25_and_lsa(4), words, candidates), 1e-9);
        const auto lsa = corpus.similarities("lsa", words);
        for (const SearchHit& hit : result.hits) {
            CHECK(hit.explanation->rankers[1].value == lsa.at(hit.docid));
        }
    }
    // What was deleted since is not found through its vector.
    Xapian::WritableDatabase shard((folder / "0").string(), Xapian::DB_OPEN);
    for (Xapian::docid docid = 1; docid < 60; docid += 3) shard.delete_document(docid);
    shard.commit();
    Xapian::Database after = database;
    after.reopen();
    request.explain = false;
    for (const auto& [docid, score] : searched(after, bm25_and_lsa(4), request, options)) {
        CHECK_NOTHROW(after.get_document(docid));
    }
    options.sidecars = {sidecars[0]};
    CHECK_THROWS_WITH(Searcher(database, options), Contains("no sidecar is for the shard"));
    options.sidecars = {sidecars[0], sidecars[0]};
    CHECK_THROWS_WITH(Searcher(database, options), Contains("two sidecars"));
    options.sidecars = {sidecars[0], sidecars[1], corpus.database()};
    CHECK_THROWS_WITH(Searcher(database, options), Contains("is no sidecar"));
    Xapian::WritableDatabase foreign("", Xapian::DB_BACKEND_INMEMORY);
    mark_as_sidecar(foreign, "another");
    options.sidecars = {sidecars[0], sidecars[1], foreign};
    CHECK_THROWS_WITH(Searcher(database, options),
                      Contains("another") && Contains(shard_uuids(database)[1]));
}

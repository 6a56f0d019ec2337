// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/naive_lbdm.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr std::size_t kDocuments = 150;

RankerSpec random_lbdm(Random& random) {
    return {.ranker = "lbdm",
            .parameters = {{"lambda", 0.1 + 0.9 * random.uniform()},
                           {"mu", 1 + 100 * random.uniform()},
                           {"longest", 40 + 1000 * random.uniform()}},
            .weight = 0.1 + random.uniform()};
}

LbdmQuery query_of(const TopicCorpus& corpus, const RankerSpec& spec,
                   const std::vector<std::string>& words) {
    LbdmQuery query = lbdm_query(corpus, words);
    query.settings = {spec.parameters.at("lambda"), spec.parameters.at("mu")};
    query.longest = spec.parameters.at("longest");
    return query;
}

// What the other rankers give, and lbdm beside them.
Scores with_lbdm(Scores scores, const TopicCorpus& corpus, const RankerSpec& spec,
                 const std::vector<std::string>& words, Candidates candidates) {
    for (const auto& [docid, score] : naive_lbdm(corpus, query_of(corpus, spec, words))) {
        if (candidates == Candidates::kAll || scores.contains(docid)) {
            scores[docid] += spec.weight * score;
        }
    }
    return scores;
}

}  // namespace

TEST_CASE("LBDM search: alone and beside BM25, scores equal the naive ones", "[property]") {
    Random random(seed());
    const TopicCorpus corpus(random, kDocuments, 60);
    for (const std::size_t shards : {1U, 2U, 4U}) {
        const Xapian::Database database = corpus.database(shards);
        for (int round = 0; round < 6; ++round) {
            const auto words = corpus.corpus().random_words(random, 4);
            const RankerSpec lbdm = random_lbdm(random);
            const FusionModel bm25;
            const Scores lexical = naive_scores(corpus.corpus().database(), bm25, words);
            Scores matching = lexical;
            for (auto& [docid, score] : matching) score = 0;
            for (const Candidates candidates : {Candidates::kWords, Candidates::kAll}) {
                SearchRequest request = request_of(bag_of_words(words));
                request.candidates = candidates;
                check_equal(searched(database, {.rankers = {lbdm}}, request),
                            with_lbdm(matching, corpus, lbdm, words, candidates), 1e-9);
                check_equal(searched(database, {.rankers = {{.ranker = "bm25"}, lbdm}}, request),
                            with_lbdm(lexical, corpus, lbdm, words, candidates), 1e-9);
            }
        }
    }
}

TEST_CASE("LBDM search: explanations have value, bound and formula, and add up") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, kDocuments, 40);
    const Xapian::Database database = corpus.database(2);
    const std::vector<std::string> words = {"w0", "w1", "w1", "unheard"};
    RankerSpec lbdm = random_lbdm(random);
    Searcher searcher(database);
    SearchRequest request = request_of(bag_of_words(words));
    request.explain = true;
    request.candidates = Candidates::kAll;
    const Scores naive = naive_lbdm(corpus, query_of(corpus, lbdm, words));
    for (const double weight : {2.0, 0.0}) {
        lbdm.weight = weight;
        searcher.rank_by({.rankers = {lbdm, {.ranker = "bm25"}}});
        const SearchResult result = searcher.search(request);
        REQUIRE(result.hits.size() > 60);
        for (const SearchHit& hit : result.hits) {
            const RankerExplanation& ranker = hit.explanation->rankers.at(0);
            CHECK(ranker.label == "lbdm");
            CHECK_THAT(ranker.formula, Contains("p(w|z)"));
            REQUIRE(ranker.value.has_value());
            CHECK_THAT(*ranker.value, WithinRel(naive.at(hit.docid), 1e-9));
            CHECK(ranker.contribution == weight * *ranker.value);
            REQUIRE(ranker.bound.has_value());
            CHECK(*ranker.bound >= *ranker.value);
            CHECK_THAT(ranker.note, Contains("unknown: unheard"));
            const bool none = hit.docid % 9 == 0;
            CHECK((ranker.note.find("no topic vector") != std::string::npos) == none);
            const double sum = ranker.contribution + hit.explanation->rankers.at(1).contribution;
            CHECK_THAT(sum, WithinRel(hit.score, 1e-9));
        }
    }
}

TEST_CASE("LBDM search: sidecars serve the same scores", "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, kDocuments, 40);
    const TemporaryFolder folder;
    const Xapian::Database database = corpus.corpus().stored_database(folder.path().string(), 2);
    SearcherOptions options;
    options.sidecars = corpus.sidecars(database);
    const FusionModel model{.rankers = {{.ranker = "lbdm"}}};
    SearchRequest request = request_of(bag_of_words({"w0", "w1"}));
    request.candidates = Candidates::kAll;
    const Scores expected = naive_lbdm(corpus, lbdm_query(corpus, {"w0", "w1"}));
    check_equal(searched(database, model, request, options), expected, 1e-9);
    // What was deleted since is not found through its vector.
    Xapian::WritableDatabase shard((folder / "0").string(), Xapian::DB_OPEN);
    for (Xapian::docid docid = 1; docid < 60; docid += 3) shard.delete_document(docid);
    shard.commit();
    Xapian::Database changed = database;
    changed.reopen();
    const Scores left = searched(changed, model, request, options);
    CHECK(left.size() < expected.size());
    for (const auto& [docid, score] : expected) {
        const bool deleted = docid < 120 && docid % 2 == 1 && (docid / 2) % 3 == 0;
        CHECK(left.contains(docid) == !deleted);
    }
}

TEST_CASE("LBDM search: lengths count the topic model's words, not all terms") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, kDocuments, 60);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    TopicRecord record = corpus.topics("lda").record;
    record.words /= 2;
    database.set_metadata(topic_key(corpus.topics("lda").id, kTopicRecordEnding),
                          serialise(record));
    const std::vector<std::string> words = {"w1", "w2", "w7"};
    LbdmQuery query = lbdm_query(corpus, words);
    query.length_scale = 0.5;
    for (LbdmWord& word : query.words) word.collection_share *= 2;
    SearchRequest request = request_of(bag_of_words(words));
    request.candidates = Candidates::kAll;
    check_equal(searched(database, {.rankers = {{.ranker = "lbdm"}}}, request),
                naive_lbdm(corpus, query), 1e-9);
}

TEST_CASE("LBDM search: another kind of topic model is refused") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 30, 20);
    CHECK(topic_model_of({.ranker = "lbdm"}) == "lda");
    CHECK(family_of({.ranker = "lbdm"}) == RankerFamily::kTopicLanguage);
    const FusionModel model{.rankers = {{.ranker = "lbdm", .topics = "lsa"}}};
    CHECK_THROWS_WITH(searched(corpus.database(), model, request_of(bag_of_words({"w0"}))),
                      Contains("lbdm needs lda"));
}

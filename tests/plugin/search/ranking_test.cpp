// SPDX-License-Identifier: GPL-2.0-or-later
// What Ranking promises of scores, matches and states of databases; ranking_enquire_test.cpp has
// what it promises of Enquire.
#include "braid/ranking.h"

#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <thread>

#include "braid/core/model/model_function.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/search/state_guard.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/random_shapes.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kCorpusSize = 150;

FusionModel topics_model() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet", .weight = 0.3},
                        {.ranker = "lsa", .weight = 4},
                        {.ranker = "lda", .weight = 2}}};
}

// As multi-prefix fields, expansions and filters of real programs have them (XAPIAN.md).
std::vector<Query> queries_of_programs() {
    const auto any = [](std::vector<Query> words) {
        return Query(Query::OP_OR, words.begin(), words.end());
    };
    const Query first = any({Query("w0"), Query("w5"), Query("w9")});
    const Query second = any({Query("w1"), Query("w4"), Query("w12")});
    return {
        {Query::OP_AND, first, second},                                    // Omega
        {Query::OP_AND, Query("XEVEN"), first},                            // notmuch
        {Query::OP_OR, any({Query("w2"), Query("w3")}), Query("w2", 10)},  // recollq
        {Query::OP_AND, Query("w0"), Query("w1")},                         // axi-cache
        {Query::OP_FILTER, {Query::OP_AND, first, second}, Query("XODD")},
        {Query::OP_AND, first, {Query::OP_VALUE_RANGE, 1, "2", "4"}},
        {Query::OP_AND_NOT, {Query::OP_AND, first, second}, Query("w7")},
        {Query::OP_AND, first, Query(Query::OP_SCALE_WEIGHT, second, 0)},
        {Query::OP_AND_MAYBE, {Query::OP_AND, first, second}, Query("w3")},
    };
}

}  // namespace

TEST_CASE("Ranking: scores equal Searcher's for any query on any number of shards", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    std::size_t pruned = 0;
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        Searcher searcher(database);
        for (int round = 0; round < 60; ++round) {
            FusionModel model = random_model(random, 3);
            if (round % 3 != 0) model.rankers.push_back({.ranker = "lsa", .weight = 3});
            if (round % 3 == 1) model.rankers.push_back({.ranker = "lda", .weight = 2});
            const Query query = round % 2 == 0
                                    ? bag_of_words(corpus.corpus().random_words(random, 4))
                                    : random_shape(random, corpus.corpus(), 3, false);
            if (!may_prune(query)) continue;
            INFO(shards << " shards, " << query.get_description());
            Ranking ranking(database, model);
            const Applied found = applied(ranking, database, query);
            searcher.rank_by(model);
            const SearchResult expected = searcher.search(request_of(query, kCorpusSize));
            CHECK(found.chosen.why_not_fused.empty());
            CHECK(found.chosen.run.pruned == expected.run.pruned);
            if (found.chosen.run.pruned) {
                CHECK(found.scores == scores_of(expected));
                ++pruned;
            } else {
                check_equal(found.scores, scores_of(expected), 1e-12);
            }
        }
    }
    CHECK(pruned > 50);
}

TEST_CASE("Ranking: queries of real programs are pruned and score as by FusedWeight",
          "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 400, 20);
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        Ranking ranking(database, topics_model());
        for (const Query& query : queries_of_programs()) {
            INFO(query.get_description());
            SearchRequest plain = request_of(query, 400);
            plain.path = SearchRequest::Path::kPlain;
            const Applied found = applied(ranking, database, query);
            CHECK(found.chosen.run.pruned);
            CHECK(found.chosen.run.why_not_pruned.empty());
            check_equal(found.scores, searched(database, topics_model(), plain), 1e-12);
            Xapian::Enquire enquire(database);
            ranking.apply(enquire, query);
            for (Xapian::doccount first = 0; first < 12; first += 4) {
                const Xapian::MSet page = enquire.get_mset(first, 4);
                const std::vector<Hit> all = braid::test::ranked(found.scores, first, 4);
                for (Xapian::doccount i = 0; i < page.size(); ++i) {
                    CHECK(*page[i] == all[i].docid);
                    CHECK(page[i].get_weight() == all[i].score);
                }
            }
        }
    }
}

TEST_CASE("Ranking: any query keeps its matches", "[property]") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    const Xapian::Database database = corpus.database(2);
    Ranking ranking(database, topics_model());
    for (int round = 0; round < 150; ++round) {
        const Query query = random_shape(random, corpus.corpus(), 3, false);
        if (!may_prune(query)) continue;
        INFO(query.get_description());
        // Xapian 2 by itself crashes for some.
        const Scores expected =
            all_matches(database, Xapian::BoolWeight(), keep_phrases_apart(query));
        const Applied found = applied(ranking, database, query);
        REQUIRE(found.scores.size() == expected.size());
        for (const auto& [docid, score] : expected) REQUIRE(found.scores.contains(docid));
    }
}

TEST_CASE("Ranking: candidates are added where they are asked for, under the query's filters") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, kCorpusSize, 50);
    const Xapian::Database database = corpus.database(2);
    FusionModel model = bm25_and_lsa(3);
    model.candidates = Candidates::kAll;
    const Query query(Query::OP_FILTER, bag_of_words({"w3", "w9"}), Query("XEVEN"));
    Ranking words(database, model);
    RankingSetup options;
    options.candidates = Candidates::kAll;
    Ranking all(database, model, options);
    const Scores few = applied(words, database, query).scores;
    const Scores many = applied(all, database, query).scores;
    CHECK(few.size() < many.size());
    check_equal(many, searched(database, model, request_of(query)), 1e-12);
    for (const auto& [docid, score] : many) CHECK(docid % 2 == 1);
    options.candidates = Candidates::kHybrid;
    CHECK_THROWS_WITH(Ranking(database, model, options), Catch::Matchers::Contains("use Searcher"));
}

TEST_CASE("Ranking: the installed model ranks, and a database without one is told how to get it") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    CHECK_THROWS_AS(Ranking(database), ModelMismatch);
    CHECK_THROWS_WITH(Ranking(database),
                      Catch::Matchers::Contains("braid adopt --db DB --install"));
    store_fusion_model(database, topics_model());
    const Query query = bag_of_words({"w0", "w1"});
    Ranking ranking(database);
    CHECK(applied(ranking, database, query).scores ==
          searched(database, topics_model(), request_of(query)));
    // The model that is installed later ranks the next query.
    store_fusion_model(database, bm25_and_lsa(9));
    CHECK(applied(ranking, database, query).scores ==
          searched(database, bm25_and_lsa(9), request_of(query)));
}

TEST_CASE("Ranking: a model that takes two passes is refused before anything runs") {
    Random random(seed(), 6);
    const TopicCorpus corpus(random, 40, 20);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    FusionModel model = bm25_and_lsa(1);
    model.normaliser.normaliser = "min-max";
    CHECK_THROWS_AS(Ranking(database, model), ModelMismatch);
    CHECK_THROWS_WITH(Ranking(database, model), Catch::Matchers::Contains("normalised by min-max"));
    store_fusion_model(database, model);
    CHECK_THROWS_WITH(Ranking(database), Catch::Matchers::Contains("Searcher ranks by it"));
    CHECK_THROWS_WITH(Ranking(corpus.corpus().database(), bm25_and_lsa(1)).query(Query("w0")),
                      Catch::Matchers::Contains("lsa"));
}

namespace {

// bm25 and weighted lsa, and 9 more where lsa's score (or its standard score) is above .1.
FusionModel topics_above_words(bool standardised, double weight = 4) {
    ForestFunction forest;
    forest.rankers = 2;
    forest.nodes = {{.ranker = 1, .threshold = 0.1, .below = 1, .above = 2}, {}, {.value = 9}};
    forest.roots = {0};
    forest.weights = {1};
    forest.linear = {1, weight};
    forest.standardised = standardised;
    FusionModel model = bm25_and_lsa(1);
    set_model_function(model, forest);
    return model;
}

}  // namespace

TEST_CASE("Ranking: the sum beside trees ranks in one pass, and the trees are Searcher's") {
    Random random(seed(), 16);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(database, 0, 1);
    const FusionModel model = topics_above_words(true);
    const FusionModel sum = bm25_and_lsa(4);
    CHECK(one_pass_form(model) == sum);
    store_fusion_model(database, model);
    const Query query = bag_of_words({"w0", "w1"});
    const auto by_sum = searched(database, sum, request_of(query));
    Ranking installed(database);
    CHECK(applied(installed, database, query).scores == by_sum);
    Ranking given(database, model);
    CHECK(applied(given, database, query).scores == by_sum);
    // The second stage adds 9 to documents with more than the mean of lsa.
    const auto by_trees = searched(database, model, request_of(query));
    REQUIRE(by_trees.size() == by_sum.size());
    std::size_t raised = 0;
    for (const auto& [docid, score] : by_trees) {
        const double rise = score - by_sum.at(docid);
        CHECK((std::abs(rise) < 1e-9 || std::abs(rise - 9) < 1e-9));
        raised += rise > 1 ? 1 : 0;
    }
    CHECK(raised > 0);
    CHECK(raised < by_sum.size());
    const FusionModel negative = topics_above_words(true, -4);
    CHECK_FALSE(one_pass_form(negative).has_value());
    CHECK_THROWS_AS(Ranking(database, negative), ModelMismatch);
}

TEST_CASE("Ranking: gives the probabilities that Searcher gives, on any number of shards") {
    Random random(seed(), 17);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    FusionModel model = bm25_and_lsa(4);
    model.calibration = {{0.05, 0.4, 0.9}, {0.01, 0.3, 0.95}};
    const Query query = bag_of_words({"w0", "w1", "w5"});
    std::map<std::size_t, Calibration> found;
    for (const std::size_t shards : {1U, 3U}) {
        const Xapian::Database database = corpus.database(shards);
        Ranking ranking(database, model);
        const Applied here = applied(ranking, database, query);
        found[shards] = here.chosen.calibration;
        REQUIRE_FALSE(found[shards].empty());
        Searcher searcher(database);
        searcher.rank_by(model);
        SearchRequest request = request_of(query, kCorpusSize);
        const SearchResult all = searcher.search(request);
        REQUIRE(all.hits.size() > 20);
        for (const SearchHit& hit : all.hits) {
            REQUIRE(hit.probability.has_value());
            CHECK_THAT(found[shards].probability(here.scores.at(hit.docid)),
                       WithinRel(*hit.probability, 1e-12));
        }
        // Cutting off at the least score of a probability is to abstain below it.
        const double least = found[shards].least_score(0.2);
        request.min_probability = 0.2;
        const auto above = std::count_if(here.scores.begin(), here.scores.end(),
                                         [&](const auto& one) { return one.second >= least; });
        CHECK(static_cast<std::size_t>(above) == searcher.search(request).hits.size());
    }
    CHECK(found[1].probabilities == found[3].probabilities);
    // The bound of topics that scores are divided by is a little tighter over small shards.
    for (std::size_t i = 0; i < found[1].scores.size(); ++i) {
        CHECK_THAT(found[1].scores[i], WithinRel(found[3].scores[i], 0.01));
    }
    // Scores of a query that BM25 ranks have none.
    Ranking ranking(corpus.database(1), model);
    Xapian::Enquire enquire(corpus.database(1));
    CHECK(ranking.apply(enquire, query, {.inputs = {}, .relevance_set = true}).calibration.empty());
}

TEST_CASE("Ranking: a model with trees has another calibration for its first pass") {
    Random random(seed(), 18);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    const Xapian::Database database = corpus.database(2);
    FusionModel model = topics_above_words(false);
    model.calibration = {{0.1, 0.8}, {0.2, 0.6}};
    const Query query = bag_of_words({"w0", "w1"});
    Ranking without(database, model);
    CHECK(applied(without, database, query).chosen.calibration.empty());
    const Calibration own{{0.05, 0.4}, {0.25, 0.75}};
    set_one_pass_calibration(model, own);
    FusionModel sum = bm25_and_lsa(4);
    sum.calibration = own;
    Ranking by_trees(database, model);
    Ranking by_sum(database, sum);
    const Calibration found = applied(by_trees, database, query).chosen.calibration;
    CHECK(found.probabilities == own.probabilities);
    CHECK(found == applied(by_sum, database, query).chosen.calibration);
}

TEST_CASE("Ranking: a query that no pass serves is ranked by BM25, and the answer says so") {
    Random random(seed(), 7);
    const FieldedCorpus corpus(random, 120, 20);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "tfidf-cosine", .weight = 3},
                                        {.ranker = "bm25", .field = "title", .weight = 2}}};
    Ranking ranking(database, model);
    const Applied bag = applied(ranking, database, bag_of_words({"w0", "w1"}));
    CHECK(bag.chosen.why_not_fused.empty());
    CHECK(bag.scores == searched(database, model, request_of(bag_of_words({"w0", "w1"}))));
    const Query synonym(Query::OP_SYNONYM, Query("w0"), Query("w1"));
    const Applied other = applied(ranking, database, synonym);
    CHECK_THAT(other.chosen.why_not_fused, Catch::Matchers::Contains("tfidf-cosine"));
    CHECK(other.chosen.run.path == "Xapian's BM25");
    CHECK(other.scores == all_matches(database, Xapian::BM25Weight(), synonym));
    CHECK_THROWS_AS(ranking.query(synonym), InvalidArgument);
}

TEST_CASE("Ranking: vectors come from sidecars, and a foreign one is refused") {
    Random random(seed(), 8);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    const TemporaryFolder folder;
    const Xapian::Database texts = corpus.corpus().stored_database(folder.path().string(), 2);
    RankingSetup options;
    for (std::size_t i = 0; i < 2; ++i) {
        Xapian::WritableDatabase sidecar("", Xapian::DB_BACKEND_INMEMORY);
        corpus.write_sidecar(sidecar, i, 2);
        braid::mark_as_sidecar(sidecar, braid::shard_uuids(texts)[i]);
        options.sidecars.push_back(sidecar);
    }
    Ranking ranking(texts, topics_model(), options);
    const Query query = bag_of_words({"w0", "w3", "w8"});
    const Applied found = applied(ranking, texts, query);
    CHECK(found.chosen.run.pruned);
    check_equal(found.scores, searched(corpus.database(2), topics_model(), request_of(query)),
                1e-12);
    options.sidecars.pop_back();
    CHECK_THROWS_AS(Ranking(texts, topics_model(), options), ModelMismatch);
}

TEST_CASE("Ranking: first passes for feedback run under the filters and are counted") {
    Random random(seed(), 9);
    const TopicCorpus corpus(random, kCorpusSize, 30);
    const Xapian::Database database = corpus.database(2);
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "rm3", .weight = 0.5},
                                        {.ranker = "lsa-feedback", .weight = 3}}};
    Ranking ranking(database, model);
    const Query text = bag_of_words({"w0", "w6"});
    Scores former;
    for (const Query& query : {text, Query(Query::OP_FILTER, text, Query("XEVEN")),
                               Query(Query::OP_AND_NOT, text, Query("XODD"))}) {
        const Applied found = applied(ranking, database, query);
        CHECK(found.chosen.run.pruned);
        CHECK(found.chosen.run.feedback_passes == 2);
        CHECK(found.chosen.run.feedback_milliseconds > 0);
        CHECK_THAT(found.chosen.run.path,
                   Catch::Matchers::Contains("first passes for feedback (rm3, lsa-feedback)"));
        CHECK(found.scores == searched(database, model, request_of(query)));
        SearchRequest plain = request_of(query);
        plain.path = SearchRequest::Path::kPlain;
        check_equal(found.scores, searched(database, model, plain), 1e-12);
        if (!former.empty())
            CHECK(found.scores.begin()->second != former[found.scores.begin()->first]);
        if (former.empty()) former = found.scores;
    }
}

namespace {

// A database on disk with the topics of a corpus, of which a later state has fewer documents.
struct Changing {
    Random random{seed(), 10};
    TopicCorpus corpus{random, kCorpusSize, 20};
    TemporaryFolder folder;
    std::string path = (folder / "db").string();
    Xapian::WritableDatabase writer{path, Xapian::DB_CREATE};
    Query query = bag_of_words({"w0", "w1"});

    Changing() {
        corpus.write_shard(writer, 0, 1);
        store_fusion_model(writer, topics_model());
        writer.commit();
    }
};

}  // namespace

TEST_CASE("Ranking: a database that moved on asks for a new apply, and is never reopened") {
    Changing changing;
    Xapian::Database database(changing.path);
    Ranking ranking(database);
    Xapian::Enquire enquire(database);
    ranking.apply(enquire, changing.query);
    const Xapian::MSet before = enquire.get_mset(0, kCorpusSize);
    changing.writer.delete_document(*before.begin());
    changing.writer.commit();
    const Xapian::rev revision = database.get_revision();
    ranking.apply(enquire, changing.query);
    CHECK(enquire.get_mset(0, kCorpusSize).size() == before.size());
    CHECK(database.get_revision() == revision);

    REQUIRE(database.reopen());
    CHECK_THROWS_AS(enquire.get_mset(0, 10), RankingOutdated);
    CHECK_THROWS_AS(enquire.get_mset(0, 10), Xapian::InvalidOperationError);
    try {
        enquire.get_mset(0, 10);
    } catch (const RankingOutdated& error) {
        CHECK_THAT(error.get_msg(), Catch::Matchers::Contains("150 documents") &&
                                        Catch::Matchers::Contains("149 documents") &&
                                        Catch::Matchers::Contains("apply again"));
    }
    ranking.apply(enquire, changing.query);
    const Xapian::MSet after = enquire.get_mset(0, kCorpusSize);
    REQUIRE(after.size() == before.size() - 1);
    const Scores expected = searched(database, topics_model(), request_of(changing.query));
    for (auto hit = after.begin(); hit != after.end(); ++hit) {
        CHECK(hit.get_weight() == expected.at(*hit));
    }
}

TEST_CASE("Ranking: an Enquire over another database is refused") {
    Changing changing;
    const Xapian::Database database(changing.path);
    Ranking ranking(database);
    Changing other;
    Xapian::Enquire enquire{Xapian::Database(other.path)};
    for (const Query& query :
         {changing.query, Query(Query::OP_SYNONYM, Query("w0"), Query("w1"))}) {
        ranking.apply(enquire, query);
        CHECK_THROWS_AS(enquire.get_mset(0, 10), RankingOutdated);
    }
}

TEST_CASE("Ranking: changes that aren't committed count, and ask for a new apply") {
    Changing changing;
    Ranking ranking(changing.writer);
    Xapian::Enquire enquire(changing.writer);
    for (int round = 0; round < 4; ++round) {
        ranking.apply(enquire, changing.query);
        Xapian::MSet found = enquire.get_mset(0, 2 * kCorpusSize);
        const Scores expected =
            searched(changing.writer, topics_model(), request_of(changing.query, 2 * kCorpusSize),
                     {.vectors = nullptr, .postings = nullptr});
        REQUIRE(found.size() == expected.size());
        for (auto hit = found.begin(); hit != found.end(); ++hit) {
            CHECK(hit.get_weight() == expected.at(*hit));
        }
        Xapian::Document document;
        document.add_term("w0", static_cast<Xapian::termcount>(1 + round));
        changing.writer.add_document(document);
        CHECK_THROWS_AS(enquire.get_mset(0, 10), RankingOutdated);
    }
}

TEST_CASE("Ranking: a shard without the model is an error that names it") {
    Random random(seed(), 11);
    const TopicCorpus corpus(random, kCorpusSize, 20);
    Xapian::WritableDatabase bare("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::Document document;
    document.add_term("w0");
    bare.add_document(document);
    Xapian::Database mixed = corpus.database();
    mixed.add_database(bare);
    Ranking ranking(mixed, topics_model());
    for (const Query& query :
         {bag_of_words({"w0", "w1"}), Query(Query::OP_SYNONYM, Query("w0"), Query("w1"))}) {
        Xapian::Enquire enquire(mixed);
        ranking.apply(enquire, query);
        CHECK_THROWS_AS(enquire.get_mset(0, 10), Xapian::InvalidOperationError);
    }
    // A model of words alone needs nothing of a shard.
    Ranking words(mixed, FusionModel{});
    CHECK(applied(words, mixed, Query("w0")).scores.contains(2));
}

TEST_CASE("Ranking: threads rank with tables that they share") {
    Changing changing;
    RankingSetup options;
    options.vectors = braid::new_vector_tables(braid::kTableBytes, true);
    options.postings = braid::new_posting_tables(braid::kTableBytes, true);
    const Scores expected =
        searched(Xapian::Database(changing.path), topics_model(), request_of(changing.query));
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const Xapian::Database database(changing.path);
            const Query query = bag_of_words({"w0", "w1"});
            Ranking ranking(database, options);
            for (int j = 0; j < 10; ++j) {
                if (applied(ranking, database, query).scores == expected) ++right;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 40);
}

TEST_CASE("State guard: servers of other versions read its bytes") {
    const StateGuard guard({{"0a1b", 7, 100, 120, 9000}, {"uuid:of:two", 300, 1, 2, 3}});
    CHECK(shown(guard.serialise()) == R"(\01\02\040a1b\07dx\a8F\0buuid:of:two\ac\02\01\02\03)");
}

TEST_CASE("State guard: bytes that it didn't write are rejected", "[property]") {
    Random random(seed(), 12);
    const StateGuard guard({{"0a1b", 7, 100, 120, 9000}, {"uuid:of:three", 0, 1, 2, 3}});
    const auto copy = guard.from_bytes(guard.serialise());
    CHECK(copy->serialise() == guard.serialise());
    check_bytes(StateGuard(), guard.serialise(), random);
}

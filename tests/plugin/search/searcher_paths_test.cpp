// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/search/searcher_paths.h"

#include <algorithm>

#include "braid/error.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/tests/plugin/stored_corpus.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;
using Path = SearchRequest::Path;

TEST_CASE("Searcher paths: both find the same with the same scores, on any shards", "[property]") {
    for_random_requests(6, 12,
                        [](const TopicCorpus& corpus, const FusionModel& model,
                           const SearchRequest& request, Random&) {
                            for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
                                INFO(shards << " shards");
                                check_paths_agree(corpus.database(shards), model, request);
                            }
                        });
}

TEST_CASE("Searcher paths: pages fit together, whatever is counted", "[property]") {
    for_random_requests(
        6, 6,
        [](const TopicCorpus& corpus, const FusionModel& model, const SearchRequest& given,
           Random& random) {
            Searcher searcher(corpus.database(2));
            searcher.rank_by(model);
            SearchRequest request = given;
            request.min_score = 0;
            request.first = 0;
            request.count = 500;
            const SearchResult all = searcher.search(request);
            REQUIRE(all.matches == all.hits.size());
            const auto size = static_cast<Xapian::doccount>(1 + random.below(9));
            request.count = size;
            for (; request.first < all.hits.size() + size; request.first += size) {
                request.check_at_least = static_cast<Xapian::doccount>(random.below(500));
                const SearchResult page = searcher.search(request);
                const std::size_t left =
                    all.hits.size() - std::min<std::size_t>(all.hits.size(), request.first);
                REQUIRE(page.hits.size() == std::min<std::size_t>(left, size));
                for (std::size_t i = 0; i < page.hits.size(); ++i) {
                    REQUIRE(page.hits[i].docid == all.hits[request.first + i].docid);
                    REQUIRE(page.hits[i].score == all.hits[request.first + i].score);
                    REQUIRE(page.hits[i].rank == request.first + i + 1);
                }
            }
        });
}

TEST_CASE("Searcher paths: the same after reopening and after compaction", "[property]") {
    Random random(seed());
    for (int round = 0; round < 3; ++round) {
        const TemporaryFolder folder;
        const TopicCorpus corpus(random, 150, 30);
        const std::string path = (folder / "db").string();
        {
            Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
            corpus.write_shard(writer, 0, 1);
            for (Xapian::docid docid = 3; docid < 150; docid += 7) writer.delete_document(docid);
            writer.commit();
        }
        const std::string compact = (folder / "compact").string();
        Xapian::Database(path).compact(compact, Xapian::DBCOMPACT_NO_RENUMBER);
        SearcherOptions options;
        // Made at once, so that it is read in the first search and must be made anew later.
        options.vectors = std::make_shared<VectorTables>();
        Searcher kept(SearchPaths{{path}}, options);
        for (int i = 0; i < 8; ++i) {
            const FusionModel model = random_topic_model(random);
            const SearchRequest request = random_request(random, corpus);
            kept.rank_by(model);
            const SearchResult first = kept.search(request);
            check_same_results(Searcher(Xapian::Database(path)), model, request, first);
            check_same_results(Searcher(Xapian::Database(compact)), model, request, first);
            check_paths_agree(Xapian::Database(compact), model, request);
        }
        Xapian::WritableDatabase writer(path);
        for (Xapian::docid docid = 1; docid < 150; docid += 7) writer.delete_document(docid);
        writer.commit();
        // Other lengths and other vectors, which no table may hide.
        for (Xapian::docid docid = 2; docid < 150; docid += 7) {
            Xapian::Document document = writer.get_document(docid);
            document.add_term("w0", 7);
            document.add_value(1000, corpus.value("lsa", 150 - docid));
            writer.replace_document(docid, document);
        }
        writer.commit();
        for (int i = 0; i < 8; ++i) {
            const FusionModel model = random_topic_model(random);
            const SearchRequest request = random_request(random, corpus);
            kept.rank_by(model);
            check_same_results(Searcher(Xapian::Database(path)), model, request,
                               kept.search(request));
        }
    }
}

TEST_CASE("Searcher paths: match spies see every match, with exact counts", "[property]") {
    for_random_requests(3, 8,
                        [](const TopicCorpus& corpus, const FusionModel& model,
                           const SearchRequest& given, Random&) {
                            std::vector<std::map<std::string, Xapian::doccount>> facets;
                            for (const Path path : {Path::kPlain, Path::kFastest}) {
                                Xapian::ValueCountMatchSpy spy(1);
                                SearchRequest request = given;
                                request.path = path;
                                request.check_at_least = 1000;
                                request.spies = {&spy};
                                Searcher searcher(corpus.database(2));
                                searcher.rank_by(model);
                                const SearchResult result = searcher.search(request);
                                if (request.min_score == 0 && !request.collapse) {
                                    REQUIRE(result.matches_at_least == result.matches_at_most);
                                }
                                auto& counts = facets.emplace_back();
                                for (auto value = spy.values_begin(); value != spy.values_end();
                                     ++value) {
                                    counts[*value] = value.get_termfreq();
                                }
                            }
                            REQUIRE(facets[0] == facets[1]);
                        });
}

TEST_CASE("Searcher paths: bags of words are pruned, other queries say why not") {
    Random random(seed());
    const TopicCorpus corpus(random, 100, 30);
    Searcher searcher(corpus.database());
    FusionModel model = bm25_and_lsa(2);
    const auto run = [&](const Query& query) {
        searcher.rank_by(model);
        return searcher.search(request_of(query)).run;
    };
    const Query a("w0");
    const Query b("w1");
    const Query either(Query::OP_OR, a, b);
    for (const Query& query :
         {a, either, Query(Query::OP_AND, a, b), Query(Query::OP_FILTER, either, Query("XEVEN")),
          Query(Query::OP_AND_NOT, either, Query("w2")), Query(Query::OP_AND, either, Query("w2")),
          Query(Query::OP_PHRASE, a, b), Query(Query::OP_AND_MAYBE, a, b),
          Query(Query::OP_FILTER, Query(Query::OP_AND_NOT, either, Query("w2")),
                Query(Query::OP_VALUE_LE, 1, "5"))}) {
        INFO(query.get_description());
        const SearchRun found = run(query);
        CHECK(found.pruned);
        CHECK(found.why_not_pruned.empty());
        CHECK_THAT(found.path, Contains("FusedSource") && Contains("(lsa)"));
        CHECK(found.counters.postings_scored > 0);
        CHECK(found.counters.postings >= found.counters.postings_scored);
        CHECK(found.counters.vectors_decoded > 0);
    }
    const Query phrase(Query::OP_PHRASE, a, b);
    for (const Query& query :
         {Query(Query::OP_OR, Query(Query::OP_AND, a, b), b), Query(Query::OP_OR, phrase, b),
          Query(Query::OP_WILDCARD, "w1"), Query(Query::OP_SCALE_WEIGHT, a, 2.0),
          Query(Query::OP_AND_MAYBE, a, phrase)}) {
        INFO(query.get_description());
        const SearchRun found = run(query);
        CHECK_FALSE(found.pruned);
        CHECK_THAT(found.why_not_pruned, Contains("no bag of words"));
        CHECK_THAT(found.path, Contains("FusedWeight"));
        CHECK(found.counters.postings_scored == 0);
    }
    model.rankers.push_back({.ranker = "lbdm", .topics = "lda", .weight = 0.1});
    CHECK(run(a).pruned);
    model.candidates = Candidates::kAll;
    CHECK_THAT(run(a).why_not_pruned, Contains("candidates are all documents"));
    model.candidates = Candidates::kHybrid;
    CHECK_THAT(run(a).why_not_pruned, Contains("lbdm"));
    model.rankers.back().weight = 0;
    CHECK(run(a).pruned);
    searcher.rank_by(Xapian::BM25Weight());
    CHECK_THAT(searcher.search(request_of(a)).run.why_not_pruned,
               Contains(Xapian::BM25Weight().name()));
}

TEST_CASE("Searcher paths: a request may say which runs it") {
    Random random(seed());
    const TopicCorpus corpus(random, 100, 30);
    Searcher searcher(corpus.database());
    searcher.rank_by(bm25_and_lsa(2));
    SearchRequest request = request_of(Query("w0"));
    request.path = Path::kPlain;
    CHECK_THAT(searcher.search(request).run.path, Contains("FusedWeight"));
    request.path = Path::kPruned;
    CHECK_THAT(searcher.search(request).run.path, Contains("FusedSource"));
    request.candidates = SearchSettings::Candidates::kAll;
    CHECK_THROWS_WITH(searcher.search(request), Contains("candidates are all documents"));
    request.path = Path::kFastest;
    CHECK_THAT(searcher.search(request).run.why_not_pruned, Contains("candidates are all"));
    // Which makes no difference where topics weigh nothing.
    searcher.rank_by(FusionModel{});
    CHECK(searcher.search(request).run.pruned);
}

TEST_CASE("Searcher paths: vectors are read from memory once that is worth it, within bounds") {
    Random random(seed());
    const TopicCorpus corpus(random, 400, 30);
    const StoredCorpus stored(corpus);
    const auto searches = [&](const std::shared_ptr<VectorTables>& vectors) {
        SearcherOptions options;
        options.vectors = vectors;
        Searcher searcher(stored.open(), options);
        searcher.rank_by(bm25_and_lsa(20));
        std::vector<SearchRun> runs;
        for (int i = 0; i < 3; ++i) runs.push_back(searcher.search(request_of(Query("w0"))).run);
        return runs;
    };
    const auto on_demand =
        std::make_shared<VectorTables>(VectorTables::kMostBytes, VectorTables::When::kWorthIt);
    const std::vector<SearchRun> runs = searches(on_demand);
    REQUIRE(runs[0].counters.vectors_decoded > 100);
    CHECK(runs[0].counters.vectors_in_memory == 0);
    CHECK(runs[1].counters.vectors_in_memory >= runs[1].counters.vectors_decoded);
    CHECK(on_demand->bytes() > 0);
    // Another Searcher has it from the start.
    CHECK(searches(on_demand)[0].counters.vectors_in_memory > 0);
    const auto tight = std::make_shared<VectorTables>(3000, VectorTables::When::kWorthIt);
    CHECK(searches(tight)[2].counters.vectors_in_memory == 0);
    CHECK(tight->bytes() <= 3000);
    CHECK(searches(nullptr)[2].counters.vectors_in_memory == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>

#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/tests/plugin/clustered_corpus.h"
#include "braid/tests/plugin/fused_search.h"
#include "braid/tests/plugin/search/searcher_paths.h"
#include "braid/tests/plugin/stored_corpus.h"

using namespace braid;
using namespace braid::test;
using Candidates = SearchSettings::Candidates;
using Xapian::Query;

namespace {

SearchResult search(const Xapian::Database& database, const FusionModel& model,
                    SearchRequest request, Candidates candidates, SearcherOptions options = {}) {
    Searcher searcher(database, options);
    searcher.rank_by(model);
    request.candidates = candidates;
    return searcher.search(request);
}

// Equals up to rounding may be in either order, and either of them last.
void check_same_page(const SearchResult& found, const SearchResult& expected) {
    REQUIRE(found.hits.size() == expected.hits.size());
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
        REQUIRE(found.hits[i].score == Approx(expected.hits[i].score).epsilon(1e-9));
        REQUIRE(found.hits[i].rank == expected.hits[i].rank);
    }
}

// The page by the scores of all documents that the query is similar to, or whose words match. The
// documents that filters leave are found apart: no source is ever under a filter.
std::vector<Hit> best_of_all(const Xapian::Database& database, const FusionModel& model,
                             const SearchRequest& request) {
    SearchRequest all;
    all.query = scored_part(*request.query);
    all.count = all.check_at_least = database.get_doccount();
    const Scores scores = scores_of(search(database, model, all, Candidates::kAll));
    Query left = with_scored_part(*request.query, Query::MatchAll);
    if (request.filter) left = Query(Query::OP_FILTER, left, *request.filter);
    Scores wanted;
    for (const auto& [docid, none] : all_matches(database, Xapian::BoolWeight(), left)) {
        const auto score = scores.find(docid);
        if (score != scores.end() && score->second >= request.min_score) wanted.insert(*score);
    }
    return ranked(wanted, request.first, request.count);
}

void check_page(const SearchResult& found, const std::vector<Hit>& expected) {
    REQUIRE(found.hits.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        REQUIRE(found.hits[i].score == Approx(expected[i].score).epsilon(1e-9));
    }
}

bool is_served(const SearchRequest& request) {
    return !request.sort && !request.collapse &&
           request.check_at_least <= request.first + request.count;
}

// How many of the hits have no word of the query, for tests that must not pass without any.
std::size_t without_words(const SearchResult& result) {
    return static_cast<std::size_t>(
        std::count_if(result.hits.begin(), result.hits.end(),
                      [](const SearchHit& hit) { return hit.terms.empty(); }));
}

// Lexical rankers and heavy topics.
FusionModel heavy(Random& random) {
    FusionModel model = random_model(random, 2);
    model.rankers.push_back({.ranker = "lsa", .weight = std::exp(6 * random.uniform() - 1)});
    if (random.below(3) == 0) model.rankers.push_back({.ranker = "lda", .weight = 2});
    return model;
}

}  // namespace

TEST_CASE("Hybrid search: the best of all candidates, for any request", "[property]") {
    std::size_t brought = 0;
    std::size_t served = 0;
    for_random_requests(8, 30,
                        [&](const TopicCorpus& corpus, FusionModel model,
                            const SearchRequest& request, Random& random) {
                            if (random.below(2) == 0) model = heavy(random);
                            const std::vector<std::size_t> shards = {1, 2, 4, 7};
                            const Xapian::Database database = clustered_database(
                                corpus, shards[random.below(shards.size())], 1 + random.below(12));
                            const SearchResult found =
                                search(database, model, request, Candidates::kHybrid);
                            if (found.run.path.find("clusters") == std::string::npos) return;
                            REQUIRE(is_served(request));
                            REQUIRE(found.run.surely == 1);
                            check_page(found, best_of_all(database, model, request));
                            ++served;
                            brought += without_words(found);
                        });
    CHECK(served > 40);
    CHECK(brought > 40);
}

TEST_CASE("Hybrid search: scores have the bits of the source's own", "[property]") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 150, 40);
    for (const std::size_t shards : {1U, 2U, 7U}) {
        const Xapian::Database database = clustered_database(corpus, shards, 8);
        for (int round = 0; round < 10; ++round) {
            const FusionModel model = heavy(random);
            SearchRequest request =
                request_of(bag_of_words(corpus.corpus().random_words(random, 3)));
            const Scores scores = scores_of(search(database, model, request, Candidates::kHybrid));
            request.count = 10;
            for (const SearchHit& hit :
                 search(database, model, request, Candidates::kHybrid).hits) {
                CHECK(hit.score == scores.at(hit.docid));
            }
            const Scores words = scores_of(search(database, model, request, Candidates::kWords));
            for (const auto& [docid, score] : words) CHECK(score == scores.at(docid));
        }
    }
}

TEST_CASE("Hybrid search: after documents were added, changed and deleted", "[property]") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 150, 40);
    StoredCorpus stored(corpus);
    add_clusters(stored.writer, corpus, "lsa", 9);
    SearcherOptions options;
    options.postings = std::make_shared<PostingTables>();
    std::size_t brought = 0;
    for (int round = 0; round < 25; ++round) {
        const auto docid = static_cast<Xapian::docid>(1 + random.below(150));
        Xapian::Document document;
        try {
            document = stored.writer.get_document(docid);
        } catch (const Xapian::DocNotFoundError&) {
        }
        // Another vector in the old cluster, a vector without a cluster, or neither.
        const std::string value = corpus.value("lsa", 1 + random.below(8));
        switch (round == 0 ? 3 : random.below(5)) {
            case 0:
                document.add_value(1000, value);
                stored.writer.replace_document(docid, document);
                break;
            case 1:
                document.clear_terms();
                document.add_value(1000, value);
                stored.writer.replace_document(docid, document);
                break;
            case 2:
                if (!document.get_value(1000).empty()) document.remove_value(1000);
                stored.writer.replace_document(docid, document);
                break;
            case 3:
                document = Xapian::Document();
                document.add_value(1000, value);
                stored.writer.add_document(document);
                break;
            default:
                if (document.get_docid() != 0) stored.writer.delete_document(docid);
        }
        stored.writer.commit();
        const Xapian::Database database = stored.open();
        const FusionModel model = heavy(random);
        SearchRequest request =
            request_of(bag_of_words(corpus.corpus().random_words(random, 3)), 10);
        if (round % 3 == 0) request.filter = Query("XEVEN");
        const SearchResult found = search(database, model, request, Candidates::kHybrid, options);
        REQUIRE(found.run.pruned);
        check_page(found, best_of_all(database, model, request));
        brought += without_words(found);
    }
    CHECK(brought > 0);
}

TEST_CASE("Hybrid search: documents that only a sidecar still has are not found") {
    Random random(seed(), 3);
    const TopicCorpus corpus(random, 120, 30);
    const TemporaryFolder folder;
    corpus.corpus().stored_database(folder.path().string(), 1);
    const std::string path = (folder / "0").string();
    Xapian::WritableDatabase writer(path, Xapian::DB_OPEN);
    Xapian::WritableDatabase sidecar((folder / "sidecar").string(), Xapian::DB_CREATE);
    corpus.write_sidecar(sidecar, 0, 1);
    add_clusters(sidecar, corpus, "lsa", 6);
    mark_as_sidecar(sidecar, writer.get_uuid());
    sidecar.commit();
    for (Xapian::docid docid = 1; docid <= 120; docid += 3) writer.delete_document(docid);
    writer.commit();
    SearcherOptions options;
    options.sidecars = {Xapian::Database((folder / "sidecar").string())};
    for (int round = 0; round < 10; ++round) {
        const Xapian::Database database(path);
        SearchRequest request = request_of(bag_of_words(corpus.corpus().random_words(random, 2)));
        request.count = round % 2 == 0 ? 10 : 150;
        const SearchResult found =
            search(database, bm25_and_lsa(8), request, Candidates::kHybrid, options);
        REQUIRE(found.run.pruned);
        check_same_page(found,
                        search(database, bm25_and_lsa(8), request, Candidates::kAll, options));
        for (const SearchHit& hit : found.hits) CHECK(hit.docid % 3 != 1);
    }
}

TEST_CASE("Hybrid search: with few clusters says how much of the answer is sure", "[property]") {
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 300, 60);
    const Xapian::Database database = clustered_database(corpus, 2, 20);
    double recall[2] = {0, 0};
    std::size_t left = 0;
    constexpr int kRounds = 30;
    for (int round = 0; round < kRounds; ++round) {
        const FusionModel model = heavy(random);
        SearchRequest request =
            request_of(bag_of_words(corpus.corpus().random_words(random, 2)), 10);
        const SearchResult exact = search(database, model, request, Candidates::kHybrid);
        std::set<Xapian::docid> wanted;
        for (const SearchHit& hit : exact.hits) wanted.insert(hit.docid);
        for (const std::size_t visited : {1U, 8U}) {
            request.clusters_visited = visited;
            const SearchResult found = search(database, model, request, Candidates::kHybrid);
            REQUIRE(found.run.counters.clusters_visited <= 2 * visited);
            std::size_t same = 0;
            std::size_t in_place = 0;
            for (std::size_t i = 0; i < found.hits.size(); ++i) {
                same += wanted.count(found.hits[i].docid);
                in_place += found.hits[i].docid == exact.hits[i].docid ? 1U : 0U;
            }
            const double share = static_cast<double>(in_place) / 10;
            REQUIRE(share >= found.run.surely * static_cast<double>(found.hits.size()) / 10 - 1e-9);
            recall[visited == 8] += static_cast<double>(same) / 10 / kRounds;
            if (found.run.counters.clusters_left == 0) {
                check_same_page(found, exact);
                CHECK(found.run.surely == 1);
            } else {
                ++left;
                CHECK(found.run.counters.left_bound > 0);
            }
        }
    }
    CHECK(left > 10);
    CHECK(recall[0] < recall[1]);
    CHECK(recall[1] > 0.8);
}

TEST_CASE("Hybrid search: a cluster record that is damaged is refused") {
    Random random(seed(), 5);
    const TopicCorpus corpus(random, 60, 20);
    Xapian::WritableDatabase shard("", Xapian::DB_BACKEND_INMEMORY);
    corpus.write_shard(shard, 0, 1);
    add_clusters(shard, corpus, "lsa", 4);
    const std::string key = topic_key(corpus.topics("lsa").id, kTopicClustersEnding);
    const std::string bytes = shard.get_metadata(key);
    const SearchRequest request = request_of(bag_of_words({"w1"}), 10);
    REQUIRE_NOTHROW(search(shard, bm25_and_lsa(9), request, Candidates::kHybrid));
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        shard.set_metadata(key, bytes.substr(0, size));
        CHECK_THROWS_AS(search(shard, bm25_and_lsa(9), request, Candidates::kHybrid),
                        Xapian::DatabaseCorruptError);
    }
}

TEST_CASE("FusedSource: what it finds by topics goes through bytes") {
    Random random(seed(), 6);
    const TopicCorpus corpus(random, 100, 30);
    const Xapian::Database database = clustered_database(corpus, 1, 5);
    const std::vector<std::string> words = {"w1", "w4"};
    const FusedSearch search{corpus,
                             FusionModel{},
                             words,
                             Query::OP_OR,
                             {{{corpus.topics("lsa").id, 1000}, corpus.fold("lsa", words), 6}}};
    FusedSource source = search.source(database);
    const Scores matching = all_of(database, source);
    source.find_similar({.floor = 1.5, .best = 50, .most_clusters = 3, .others_only = true});
    const std::string bytes = source.serialise();
    const auto read = FusedSource().from_bytes(bytes);
    CHECK(read->serialise() == bytes);
    const Scores others = all_of(database, *read);
    CHECK(others == all_of(database, source));
    CHECK_FALSE(others.empty());
    for (const auto& [docid, score] : others) {
        CHECK_FALSE(matching.contains(docid));
        CHECK(score >= 1.5);
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(FusedSource().unserialise(bytes.substr(0, size)),
                        Xapian::SerialisationError);
    }
}

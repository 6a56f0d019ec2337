// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <memory>
#include <thread>

#include "braid/plugin/search/searcher.h"
#include "braid/plugin/sources/fused_weight.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/remote/tcp_server.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Catch::Matchers::Contains;

namespace {

using Classes = TcpServer::Classes;

// A corpus as one database, and behind one or two servers, each with its share.
class Served {
  public:
    template <typename Corpus>
    Served(const Corpus& corpus, std::size_t shards, Classes classes = Classes::kBraidsToo) {
        for (std::size_t i = 0; i < shards; ++i) {
            const std::string path = folder_ / std::to_string(i);
            Xapian::WritableDatabase shard(path, Xapian::DB_CREATE);
            corpus.write_shard(shard, i, shards);
            shard.close();
            local_.add_database(Xapian::Database(path));
            servers_.push_back(std::make_unique<TcpServer>(path, classes));
        }
    }

    const Xapian::Database& local() const { return local_; }
    Xapian::Database remote() const {
        Xapian::Database database;
        for (const auto& server : servers_) database.add_database(server->open());
        return database;
    }

  private:
    TemporaryFolder folder_;
    Xapian::Database local_;
    std::vector<std::unique_ptr<TcpServer>> servers_;
};

FusionModel words_model() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet", .weight = 0.5},
                        {.ranker = "pl2", .weight = 0.25}}};
}

SearchRequest on_path(const std::vector<std::string>& words, SearchRequest::Path path) {
    SearchRequest request = request_of(bag_of_words(words));
    request.path = path;
    request.documents = false;
    return request;
}

}  // namespace

TEST_CASE("Remote: every path scores as on the same database here") {
    Random random(seed());
    const TopicCorpus corpus(random, 120, 30);
    for (const std::size_t shards : {1U, 2U}) {
        const Served served(corpus, shards);
        for (const bool topics : {false, true}) {
            const FusionModel model = topics ? bm25_and_lsa(4) : words_model();
            const auto words = corpus.corpus().random_words(random, 4);
            for (const auto path : {SearchRequest::Path::kPruned, SearchRequest::Path::kPlain}) {
                INFO(shards << " shards, topics " << topics);
                const SearchRequest request = on_path(words, path);
                const Scores here = searched(served.local(), model, request);
                const Scores there = searched(served.remote(), model, request);
                if (path == SearchRequest::Path::kPruned) {
                    CHECK(there == here);
                } else {
                    check_equal(there, here, 1e-12);
                }
            }
        }
    }
}

TEST_CASE("Remote: records of documents and their fields are read by the server") {
    Random random(seed(), 3);
    const FieldedCorpus corpus(random, 120, 20);
    const Served served(corpus, 2);
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "tfidf-cosine", .weight = 3},
                                        {.ranker = "bm25", .field = "title", .weight = 2}}};
    const SearchRequest request = on_path({"w0", "w1"}, SearchRequest::Path::kPruned);
    const Scores here = searched(served.local(), model, request);
    CHECK(here.size() > 50);
    CHECK(searched(served.remote(), model, request) == here);
}

TEST_CASE("Remote: filters, phrases and pages are served as here") {
    Random random(seed(), 1);
    const TopicCorpus corpus(random, 120, 20);
    const Served served(corpus, 2);
    const Xapian::Query text(
        Xapian::Query::OP_OR, Xapian::Query("w0"),
        Xapian::Query(Xapian::Query::OP_AND, Xapian::Query("w1"), Xapian::Query("w2")));
    SearchRequest request = request_of(text);
    request.filter = Xapian::Query("XODD");
    check_equal(searched(served.remote(), bm25_and_lsa(4), request),
                searched(served.local(), bm25_and_lsa(4), request), 1e-12);
    request = on_path({"w0", "w1"}, SearchRequest::Path::kPruned);
    request.first = 5;
    request.count = 10;
    request.explain = true;
    const auto run = [&](const Xapian::Database& database) {
        Searcher searcher(database);
        searcher.rank_by(bm25_and_lsa(4));
        return searcher.search(request);
    };
    const SearchResult here = run(served.local());
    const SearchResult there = run(served.remote());
    REQUIRE(here.hits.size() == 10);
    REQUIRE(there.hits.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(there.hits[i].docid == here.hits[i].docid);
        CHECK(there.hits[i].score == here.hits[i].score);
        for (std::size_t k = 0; k < here.hits[i].explanation->rankers.size(); ++k) {
            CHECK(there.hits[i].explanation->rankers[k].contribution ==
                  Approx(here.hits[i].explanation->rankers[k].contribution));
        }
    }
}

TEST_CASE("Remote: a server without Braid's classes is named as such, and serves Xapian's own") {
    Random random(seed(), 2);
    const TopicCorpus corpus(random, 40, 20);
    const Served served(corpus, 1, Classes::kXapians);
    Searcher searcher(served.remote());
    for (const auto path : {SearchRequest::Path::kPruned, SearchRequest::Path::kPlain}) {
        searcher.rank_by(words_model());
        CHECK_THROWS_AS(searcher.search(on_path({"w0"}, path)), Xapian::Error);
        try {
            searcher.search(on_path({"w0"}, path));
        } catch (const Xapian::Error& error) {
            CHECK_THAT(error.get_msg(), Contains("not registered") && Contains("braid::Fused"));
        }
    }
    searcher.rank_by(Xapian::BM25Weight());
    CHECK_FALSE(searcher.search(on_path({"w0"}, SearchRequest::Path::kPlain)).hits.empty());
}

TEST_CASE("Remote search: opened by HOST:PORT, a database is followed, and a lost server found") {
    Random random(seed(), 41);
    const TopicCorpus corpus(random, 60, 20);
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    corpus.write_shard(writer, 0, 1);
    const auto install = [&](double weight) {
        store_fusion_model(writer, bm25_and_lsa(weight));
        writer.commit();
    };
    install(4);
    auto server = std::make_unique<TcpServer>(path, Classes::kBraidsToo);
    const unsigned port = server->port();
    Searcher searcher("127.0.0.1:" + std::to_string(port));
    const std::vector<std::string> words = {"w0", "w1"};
    const auto check = [&](double weight) {
        const SearchResult found = searcher.search(on_path(words, SearchRequest::Path::kFastest));
        check_equal(scores_of(found), naive(corpus, bm25_and_lsa(weight), words), 1e-9);
    };
    check(4);
    install(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // It is looked at once a second.
    check(2);
    install(3);
    CHECK(searcher.refresh());
    check(3);
    server.reset();
    CHECK_THROWS(searcher.search(on_path(words, SearchRequest::Path::kFastest)));
    CHECK_THROWS_WITH(searcher.search(on_path(words, SearchRequest::Path::kFastest)),
                      Contains("can't reach the server"));
    server = std::make_unique<TcpServer>(path, Classes::kBraidsToo, port);
    check(3);
}

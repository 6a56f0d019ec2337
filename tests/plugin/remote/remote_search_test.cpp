// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <memory>
#include <thread>

#include "braid/indexer/check/database_check.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/ranking.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/remote/tcp_server.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

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

TEST_CASE("Remote: weighed fields, factors and filters score as on the same database here") {
    Random random(seed(), 10);
    const FieldedCorpus corpus(random, 120, 20);
    const FusionModel model{
        .rankers = {
            {.ranker = "bm25f", .field = "title^3"},
            {.ranker = "filter", .field = "w1", .weight = 0.5},
            {.ranker = "filter", .name = "twice", .field = "w2", .parameters = {{"times", 2}}},
            {.ranker = "filter",
             .name = "one of two",
             .field = "w3 OR w4",
             .parameters = {{"times", 0.5}}}}};
    for (const std::size_t shards : {1U, 2U}) {
        const Served served(corpus, shards);
        const SearchRequest request = on_path({"w0", "w1", "w5"}, SearchRequest::Path::kPruned);
        const Scores here = searched(served.local(), model, request);
        CHECK(here.size() > 20);
        check_equal(searched(served.remote(), model, request), here, 1e-12);
    }
}

// Here a JointSource serves it, there the parts one by one.
TEST_CASE("Remote: all-words and lbdm score as on the same database here") {
    Random random(seed(), 11);
    const TopicCorpus corpus(random, 120, 20);
    const FusionModel model{.rankers = {{.ranker = "bm25"},
                                        {.ranker = "all-words", .weight = 30},
                                        {.ranker = "lsa", .weight = 4},
                                        {.ranker = "lbdm", .weight = 2}}};
    for (const std::size_t shards : {1U, 2U}) {
        const Served served(corpus, shards);
        for (int round = 0; round < 3; ++round) {
            auto words = corpus.corpus().random_words(random, 3);
            words.emplace_back("w0");  // Which most documents have, if none has the others.
            SearchRequest request = on_path(words, SearchRequest::Path::kPruned);
            request.count = 5;
            const Scores here = searched(served.local(), model, request);
            CHECK(here.size() == 5);
            check_equal(searched(served.remote(), model, request), here, 1e-12);
        }
    }
}

TEST_CASE("Remote: title-exact scores as on the same database here") {
    struct Titles {
        void write_shard(Xapian::WritableDatabase& part, std::size_t shard,
                         std::size_t shards) const {
            const std::vector<std::string> texts = {"red apple pie", "apple pie", "pie apple",
                                                    "apple",         "pie",       "old apple pie"};
            for (std::size_t i = shard; i < texts.size(); i += shards) {
                Xapian::TermGenerator generator;
                generator.set_stemmer(Xapian::Stem("english"));
                generator.index_text(texts[i], 1, "S");
                generator.increase_termpos(100);
                generator.index_text(texts[i]);
                part.add_document(generator.get_document());
            }
            IndexSettings settings;
            settings.fields = {{.name = "title", .prefix = "S"}, {.name = "text"}};
            store_index_settings(part, settings);
            part.commit();
        }
    };
    const FusionModel model{
        .rankers = {{.ranker = "bm25"},
                    {.ranker = "title-exact", .field = "title", .weight = 100}}};
    for (const std::size_t shards : {1U, 2U}) {
        const Served served(Titles{}, shards);
        const SearchRequest request = on_path({"apple", "pie"}, SearchRequest::Path::kPruned);
        const Scores here = searched(served.local(), model, request);
        REQUIRE(here.size() == 6);
        CHECK(here.at(2) > 100);  // Equals,
        CHECK(here.at(1) > 25);   // contains.
        CHECK(here.at(3) < 25);
        check_equal(searched(served.remote(), model, request), here, 1e-12);
    }
}

TEST_CASE("Remote: Ranking ranks as here, and a server's error asks for a new apply") {
    Random random(seed(), 9);
    const TopicCorpus corpus(random, 120, 20);
    const Xapian::Query bag = bag_of_words({"w0", "w1", "w5"});
    const Xapian::Query synonym(Xapian::Query::OP_SYNONYM, Xapian::Query("w0"),
                                Xapian::Query("w1"));
    const Xapian::Query groups(Xapian::Query::OP_AND, bag, bag_of_words({"w2", "w3"}));
    FusionModel model = bm25_and_lsa(4);
    model.rankers.push_back({.ranker = "lm-dirichlet", .weight = 0.5});
    model.calibration = {{0.1, 0.5}, {0.2, 0.9}};
    for (const std::size_t shards : {1U, 2U}) {
        const Served served(corpus, shards);
        const Xapian::Database remote = served.remote();
        Ranking here(served.local(), model);
        Ranking there(remote, model);
        for (const Xapian::Query& query : {bag, groups, synonym}) {
            INFO(shards << " shards, " << query.get_description());
            const Applied expected = applied(here, served.local(), query);
            const Applied found = applied(there, remote, query);
            CHECK(found.chosen.run.pruned == (query.get_type() != Xapian::Query::OP_SYNONYM));
            // A synonym's frequencies are estimated in each shard.
            check_equal(found.scores, expected.scores, 1e-12);
            const Calibration& means = found.chosen.calibration;
            if (query.get_type() == Xapian::Query::OP_SYNONYM) {
                CHECK(means.empty());  // Whose bound no server tells.
            } else {
                // A server tells less of a word's greatest frequency: the bound that scores are
                // divided by is a little higher.
                CHECK(means.probabilities == model.calibration.probabilities);
                REQUIRE(means.scores.size() == expected.chosen.calibration.scores.size());
                for (std::size_t i = 0; i < means.scores.size(); ++i) {
                    CHECK_THAT(means.scores[i],
                               WithinRel(expected.chosen.calibration.scores[i], 0.05));
                }
            }
            Xapian::Enquire enquire(remote);
            there.apply(enquire, query);
            enquire.set_query(bag);
            check_equal(scores_of(enquire.get_mset(0, 120)),
                        all_matches(served.local(), Xapian::BM25Weight(), bag), 1e-12);
        }
        const Served others(corpus, 1);
        Xapian::Enquire enquire(others.remote());
        there.apply(enquire, bag);
        CHECK_THROWS_AS(enquire.get_mset(0, 10), Xapian::InvalidOperationError);
        try {
            enquire.get_mset(0, 10);
        } catch (const Xapian::Error& error) {
            CHECK_THAT(error.get_msg(), Contains("call Ranking::apply"));
        }
    }
}

TEST_CASE("Remote: records of documents and their fields are read by the server") {
    Random random(seed(), 3);
    const FieldedCorpus corpus(random, 120, 20);
    // Xapian 2 can't separate several shards of which one is remote: field_collections.
    const Served served(corpus, kIsXapian2 ? 1 : 2);
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
        CHECK_THAT(
            error_of([&] { searcher.search(on_path({"w0"}, path)); }),
            Contains("not registered") && Contains("braid") && Contains("run braid-tcpsrv there"));
    }
    CHECK_THAT(error_of([&] { Ranking(served.remote(), words_model()); }),
               Contains("run braid-tcpsrv there"));
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

// A server is looked at once a second.
TEST_CASE("Remote search: a handle that its owner reopens after a retrain answers at once") {
    Random random(seed(), 42);
    const TopicCorpus corpus(random, 60, 20);
    const TopicCorpus later(random, 60, 20);
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE);
    corpus.write_shard(writer, 0, 1);
    store_fusion_model(writer, bm25_and_lsa(4));
    writer.commit();
    const TcpServer server(path, Classes::kBraidsToo);
    Xapian::Database owned = Xapian::Remote::open("127.0.0.1", server.port());
    Searcher searcher(owned);
    const std::vector<std::string> words = {"w0", "w1"};
    const auto check = [&](const TopicCorpus& of, double weight) {
        const SearchResult found = searcher.search(on_path(words, SearchRequest::Path::kFastest));
        check_equal(scores_of(found), naive(of, bm25_and_lsa(weight), words), 1e-9);
    };
    check(corpus, 4);
    retrain(writer, later, 2);
    owned.reopen();
    check(later, 2);
}

// The corpus has damaged vectors.
TEST_CASE("Remote: a check tells of the damage that no search on a server warns of") {
    Random random(seed());
    const TopicCorpus corpus(random, 120, 30);
    const TemporaryFolder folder;
    Xapian::WritableDatabase writer((folder / "db").string(), Xapian::DB_CREATE);
    corpus.write_shard(writer, 0, 1);
    writer.close();
    const TcpServer server(folder / "db", Classes::kBraidsToo);
    const std::string remote = "127.0.0.1:" + std::to_string(server.port());
    const auto damaged_in = [&](const std::string& spec) {
        Searcher searcher(spec);
        searcher.rank_by(bm25_and_lsa(4));
        SearchRequest request = on_path({"w0", "w1", "w2"}, SearchRequest::Path::kPlain);
        request.count = 120;
        return searcher.search(request).run.counters.damaged;
    };
    CHECK(damaged_in(folder / "db") > 0);
    CHECK(damaged_in(remote) == 0);
    const auto findings_of = [](const std::string& spec, CheckFinding::Kind kind) {
        std::string all;
        for (const CheckFinding& finding : check_database({spec}, {}).findings) {
            if (finding.kind == kind) all += finding.problem + "\n";
        }
        return all;
    };
    using Kind = CheckFinding::Kind;
    CHECK_THAT(findings_of(remote, Kind::kDamaged), Contains("vectors of documents are damaged"));
    CHECK_THAT(findings_of(remote, Kind::kNote), Contains("only a check finds them"));
    CHECK_THAT(findings_of(folder / "db", Kind::kNote), !Contains("only a check finds them"));
}

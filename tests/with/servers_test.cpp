// SPDX-License-Identifier: GPL-2.0-or-later
// braid-tcpsrv, and Xapian's own server under `braid with`: clients get what the databases give
// here.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/ranking.h"
#include "braid/tests/plugin/remote/tcp_server.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/with/with_fixture.h"
#include "braid/with/server_tables.h"

using namespace braid;
using namespace braid::test;

namespace {

/// Of the best 10 with their scores.
std::vector<std::pair<Xapian::docid, double>> best(const Xapian::Database& database,
                                                   Ranking& ranking, const Xapian::Query& query) {
    Xapian::Enquire enquire(database);
    REQUIRE(ranking.apply(enquire, query).run.pruned);
    std::vector<std::pair<Xapian::docid, double>> found;
    const Xapian::MSet page = enquire.get_mset(0, 10);
    for (auto hit = page.begin(); hit != page.end(); ++hit) {
        found.emplace_back(*hit, hit.get_weight());
    }
    return found;
}

std::vector<std::pair<Xapian::docid, double>> best(const Xapian::Database& database,
                                                   const FusionModel& model,
                                                   const Xapian::Query& query) {
    Ranking ranking(database, model);
    return best(database, ranking, query);
}

}  // namespace

TEST_CASE("Servers: four braid-tcpsrv rank as the four databases here, to the bit", "[property]") {
    BRAID_SKIP_WITHOUT_PROGRAM("xapian-tcpsrv");
    Random random(seed(), 4);
    const TopicCorpus corpus(random, 200, 30);
    const TemporaryFolder folder;
    Xapian::Database here;
    Xapian::Database there;
    std::vector<std::unique_ptr<TcpServer>> servers;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string path = folder / ("shard " + std::to_string(i));
        Xapian::WritableDatabase shard(path, Xapian::DB_CREATE);
        corpus.write_shard(shard, i, 4);
        shard.close();
        here.add_database(Xapian::Database(path));
        // This test's server is braid-tcpsrv, which needs nothing preloaded.
        servers.push_back(std::make_unique<TcpServer>(path, TcpServer::Classes::kXapians));
        there.add_database(servers.back()->open());
    }
    const FusionModel model = bm25_and_lsa(4);
    for (int i = 0; i < 20; ++i) {
        const std::vector<std::string> words =
            corpus.corpus().random_words(random, 1 + random.below(4));
        const Xapian::Query query = bag_of_words(words);
        CHECK(best(there, model, query) == best(here, model, query));
    }
    // A word twice, and one that no document has.
    const Xapian::Query absent("absent", 2);
    for (const std::string& word : corpus.corpus().random_words(random, 5)) {
        const Xapian::Query twice(Xapian::Query::OP_OR, Xapian::Query(word),
                                  Xapian::Query(word, 3));
        const Xapian::Query query(Xapian::Query::OP_OR, twice, absent);
        CHECK(best(there, model, query) == best(here, model, query));
    }
}

TEST_CASE("Servers: what was committed after a server began is served, too") {
    BRAID_SKIP_WITHOUT_PROGRAM("xapian-tcpsrv");
    const WithFixture fixture;
    const TcpServer server(fixture.database, TcpServer::Classes::kXapians);
    const Xapian::Query query(Xapian::Query::OP_OR, Xapian::Query("Zw1"), Xapian::Query("Zw7"));
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 20}};
    const auto before = best(server.open(), model, query);
    CHECK(before == best(Xapian::Database(fixture.database), model, query));
    REQUIRE(fixture.run("index", {"--quiet", fixture.documents(60, 20)}).code == 0);
    const auto after = best(server.open(), model, query);
    CHECK(after == best(Xapian::Database(fixture.database), model, query));
    CHECK(after != before);
}

namespace {

// Two words ranked by BM25 through Xapian's server, by a client that keeps its database open.
struct Client {
    WithFixture fixture;
    TcpServer server{fixture.database, TcpServer::Classes::kXapians};
    Xapian::Database there = server.open();
    FusionModel model{.rankers = {{.ranker = "bm25"}}};
    Ranking ranking{there, model};
    Xapian::Query query{Xapian::Query::OP_OR, Xapian::Query("Zw1"), Xapian::Query("Zw7")};

    auto found() { return best(there, ranking, query); }
    auto expected() const { return best(Xapian::Database(fixture.database), model, query); }
};

}  // namespace

TEST_CASE("Servers: a client that reopens has the new frequencies of words that it asked for") {
    BRAID_SKIP_WITHOUT_PROGRAM("xapian-tcpsrv");
    Client client;
    for (int commits = 0; commits < 3; ++commits) {
        const auto expected = client.expected();
        for (int again = 0; again < 2; ++again) CHECK(client.found() == expected);
        REQUIRE(client.fixture
                    .run("index", {"--quiet", client.fixture.documents(60 + 20 * commits, 20)})
                    .code == 0);
        client.there.reopen();
    }
}

// Nothing that a client is told by itself shows such a commit.
TEST_CASE("Servers: a client that reopens has the frequencies of a state of the same size") {
    BRAID_SKIP_WITHOUT_PROGRAM("xapian-tcpsrv");
    Client client;
    const auto before = client.expected();
    CHECK(client.found() == before);
    {
        Xapian::WritableDatabase writer(client.fixture.database, Xapian::DB_OPEN);
        std::vector<Xapian::docid> with_word(writer.postlist_begin("Zw1"),
                                             writer.postlist_end("Zw1"));
        REQUIRE(with_word.size() > 2);
        with_word.resize(2);
        for (const Xapian::docid docid : with_word) {
            Xapian::Document document = writer.get_document(docid);
            auto word = document.termlist_begin();
            word.skip_to("Zw1");
            const Xapian::termcount occurrences = word.get_wdf();
            document.remove_term("Zw1");
            document.add_term("Zw7", occurrences);
            writer.replace_document(docid, document);
        }
        writer.commit();
        CHECK(writer.get_doccount() == client.there.get_doccount());
        CHECK(writer.get_total_length() == client.there.get_total_length());
    }
    client.there.reopen();
    const auto after = client.expected();
    CHECK(after != before);
    CHECK(client.found() == after);
}

TEST_CASE("Servers: braid-tcpsrv takes what xapian-tcpsrv takes") {
    BRAID_SKIP_WITHOUT_PROGRAM("xapian-tcpsrv");
    const auto output = [](const std::string& call) {
        const TemporaryFolder folder;
        const std::string file = folder / "output";
        static_cast<void>(std::system((call + " >'" + file + "' 2>&1").c_str()));
        return read_file(file);
    };
    CHECK(output("'" BRAID_TCPSRV "' --version") == output("xapian-tcpsrv --version"));
    CHECK(output("'" BRAID_TCPSRV "' --port 1 --no-such-option /nowhere") ==
          output("xapian-tcpsrv --port 1 --no-such-option /nowhere"));
}

TEST_CASE("Servers: the most frequent terms are those that a sort of all finds", "[property]") {
    Random random(seed(), 18);
    for (int i = 0; i < 20; ++i) {
        const TemporaryFolder folder;
        const TopicCorpus corpus(random, 20 + random.below(80), 40);
        Xapian::WritableDatabase writable((folder / "db").string(), Xapian::DB_CREATE);
        corpus.write_shard(writable, 0, 1);
        writable.commit();
        const std::size_t room = random.below(60'000);
        std::vector<std::pair<Xapian::doccount, std::string>> all;
        for (auto term = writable.allterms_begin(); term != writable.allterms_end(); ++term) {
            if (term.get_termfreq() * 8 + 1024 <= room)
                all.emplace_back(term.get_termfreq(), *term);
        }
        std::sort(all.begin(), all.end(), std::greater<>());
        std::vector<std::string> expected;
        std::size_t taken = 0;
        for (const auto& [documents, term] : all) {
            taken += documents * 8 + 1024;
            if (taken > room) break;
            expected.push_back(term);
        }
        CHECK(with::most_frequent_terms(writable, room) == expected);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDocuments = 60;
// So many that a reader has not read every block when a writer comes back to them.
constexpr std::size_t kMany = 600;

const std::vector<std::string> kWords = {"w0", "w1"};

SearchRequest request() { return request_of(bag_of_words(kWords), kMany); }

// A database as `braid adopt` leaves it, ranked by its topics.
void write(Xapian::WritableDatabase& database, const TopicCorpus& corpus, std::size_t number = 0,
           std::size_t shards = 1) {
    corpus.write_shard(database, number, shards);
    store_fusion_model(database, bm25_and_lsa(4));
    database.commit();
}

struct Fixture {
    explicit Fixture(std::size_t documents = kDocuments)
        : corpus(random, documents, 20), later(random, documents, 20) {}

    Random random{seed(), 31};
    TopicCorpus corpus;
    TopicCorpus later;
    TemporaryFolder folder;
    std::string path = (folder / "db").string();

    Scores before() const { return naive(corpus, bm25_and_lsa(4), kWords); }
    Scores after(double weight = 1) const { return naive(later, bm25_and_lsa(weight), kWords); }
    Xapian::WritableDatabase made(const std::string& at) const {
        Xapian::WritableDatabase writer(at, Xapian::DB_CREATE);
        write(writer, corpus);
        return writer;
    }
};

void check_search(Searcher& searcher, const Scores& expected) {
    check_equal(scores_of(searcher.search(request())), expected, 1e-9);
}

}  // namespace

TEST_CASE("Searcher states: opened by path, it follows documents, topics and installed model") {
    const Fixture fixture;
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    Searcher searcher(fixture.path);
    check_search(searcher, fixture.before());
    CHECK_FALSE(searcher.refresh());
    retrain(writer, fixture.later, 1);
    const SearchResult result = searcher.search(request());
    check_equal(scores_of(result), fixture.after(), 1e-9);
    CHECK(result.reopened == 0);
    // One commit after the other: each is seen by the next search.
    for (const double weight : {2.0, 3.0, 5.0}) {
        store_fusion_model(writer, bm25_and_lsa(weight));
        writer.commit();
        check_search(searcher, fixture.after(weight));
    }
    store_fusion_model(writer, bm25_and_lsa(7));
    writer.commit();
    CHECK(searcher.refresh());
    CHECK_FALSE(searcher.refresh());
    check_search(searcher, fixture.after(7));
}

TEST_CASE("Searcher states: what the caller ranks by stays, over each state's topics") {
    const Fixture fixture;
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    Searcher searcher(fixture.path);
    searcher.rank_by(bm25_and_lsa(9));
    retrain(writer, fixture.later, 1);
    check_search(searcher, fixture.after(9));
    searcher.rank_by(Xapian::CoordWeight());
    writer.set_metadata("other", "changes the state");
    writer.commit();
    for (const auto& [docid, score] : scores_of(searcher.search(request()))) {
        CHECK((score == 1 || score == 2));
    }
}

TEST_CASE("Searcher states: one that doesn't follow stays until it is refreshed or outrun") {
    const Fixture fixture(kMany);
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    SearcherOptions options;
    options.follows = false;
    Searcher searcher(SearchPaths{{fixture.path}}, options);
    store_fusion_model(writer, bm25_and_lsa(2));
    writer.commit();
    check_search(searcher, fixture.before());
    CHECK(searcher.refresh());
    check_search(searcher, naive(fixture.corpus, bm25_and_lsa(2), kWords));
    for (int i = 0; i < 3; ++i) retrain(writer, i == 1 ? fixture.corpus : fixture.later, 3);
    const SearchResult result = searcher.search(request());
    CHECK(result.reopened > 0);
    check_equal(scores_of(result), fixture.after(3), 1e-9);
}

TEST_CASE("Searcher states: a Database is never reopened, and followed when its owner does") {
    const Fixture fixture(kMany);
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    Xapian::Database owned(fixture.path);
    const Xapian::rev revision = owned.get_revision();
    Searcher searcher(owned);
    check_search(searcher, fixture.before());
    retrain(writer, fixture.later, 1);
    check_search(searcher, fixture.before());
    CHECK_FALSE(searcher.refresh());
    CHECK(owned.get_revision() == revision);
    owned.reopen();
    check_search(searcher, fixture.after());
    // Outrun, it leaves the next step to the owner.
    for (int i = 0; i < 3; ++i) retrain(writer, i == 1 ? fixture.corpus : fixture.later, 3);
    const Xapian::rev before = owned.get_revision();
    CHECK_THROWS_AS(searcher.search(request()), Xapian::DatabaseModifiedError);
    CHECK(owned.get_revision() == before);
    owned.reopen();
    check_search(searcher, fixture.after(3));
}

TEST_CASE("Searcher states: changes in writable, in-memory and several databases are noticed") {
    const Fixture fixture;
    Xapian::WritableDatabase in_memory("", Xapian::DB_BACKEND_INMEMORY);
    write(in_memory, fixture.corpus);
    Xapian::WritableDatabase on_disk = fixture.made(fixture.path);
    for (Xapian::WritableDatabase& database : {std::ref(in_memory), std::ref(on_disk)}) {
        Searcher searcher(database);
        check_search(searcher, fixture.before());
        retrain(database, fixture.later, 1);
        check_search(searcher, fixture.after());
        store_fusion_model(database, bm25_and_lsa(2));
        check_search(searcher, fixture.after(2));
    }
    Xapian::Database both;
    std::vector<Xapian::WritableDatabase> writers;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string path = (fixture.folder / std::to_string(i)).string();
        writers.emplace_back(path, Xapian::DB_CREATE);
        write(writers[i], fixture.corpus, i, 2);
        both.add_database(Xapian::Database(path));
    }
    Searcher searcher(both);
    check_search(searcher, fixture.before());
    for (std::size_t i = 0; i < 2; ++i) retrain(writers[i], fixture.later, 1, i, 2);
    both.reopen();
    check_search(searcher, fixture.after());
}

// Xapian 2 would grow the stub's handle with each state, were the others added to a copy of it.
TEST_CASE("Searcher states: a stub of two databases before another, through commits") {
    const Fixture fixture;
    std::vector<Xapian::WritableDatabase> writers;
    for (std::size_t i = 0; i < 3; ++i) {
        writers.emplace_back((fixture.folder / std::to_string(i)).string(), Xapian::DB_CREATE);
        write(writers[i], fixture.corpus, i, 3);
    }
    write_file(fixture.folder / "stub", "auto 0\nauto 1\n");
    Searcher searcher(SearchPaths{{fixture.folder / "stub", fixture.folder / "2"}});
    check_search(searcher, fixture.before());
    for (std::size_t i = 0; i < 3; ++i) retrain(writers[i], fixture.later, 1, i, 3);
    CHECK(searcher.refresh());
    check_search(searcher, fixture.after());
    for (std::size_t i = 0; i < 3; ++i) retrain(writers[i], fixture.corpus, 4, i, 3);
    CHECK(searcher.refresh());
    check_search(searcher, fixture.before());
}

TEST_CASE("Searcher states: while a retrain is published shard by shard, the former one serves") {
    const Fixture fixture;
    SearchPaths paths;
    std::vector<Xapian::WritableDatabase> writers;
    for (std::size_t i = 0; i < 3; ++i) {
        paths.databases.push_back((fixture.folder / std::to_string(i)).string());
        writers.emplace_back(paths.databases[i], Xapian::DB_CREATE);
        write(writers[i], fixture.corpus, i, 3);
    }
    Searcher searcher(paths);
    check_search(searcher, fixture.before());
    retrain(writers[0], fixture.later, 1, 0, 3);
    check_search(searcher, fixture.before());
    retrain(writers[1], fixture.later, 1, 1, 3);
    check_search(searcher, fixture.before());
    retrain(writers[2], fixture.later, 1, 2, 3);
    check_search(searcher, fixture.after());
}

TEST_CASE("Searcher states: a database that another one replaces is followed, at any revision") {
    const Fixture fixture;
    fixture.made(fixture.path).close();
    const std::string next = (fixture.folder / "next").string();
    {
        Xapian::WritableDatabase writer(next, Xapian::DB_CREATE);
        write(writer, fixture.later);
    }
    // A reader that compares revisions alone would take them for the same.
    REQUIRE(Xapian::Database(fixture.path).get_revision() == Xapian::Database(next).get_revision());
    const std::string stub = (fixture.folder / "stub").string();
    write_file(stub, "auto db\n");
    Searcher by_folder(fixture.path);
    Searcher by_stub(stub);
    check_search(by_folder, fixture.before());
    check_search(by_stub, fixture.before());
    fs::rename(fixture.path, fixture.folder / "former");
    fs::rename(next, fixture.path);
    check_search(by_folder, fixture.after(4));
    check_search(by_stub, fixture.after(4));
    write_file(stub, "auto former\n");
    check_search(by_stub, fixture.before());
}

TEST_CASE("Searcher states: a copy that took the place of its original brings its own vectors") {
    const Fixture fixture;
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    const std::string copy = (fixture.folder / "copy").string();
    fs::copy(fixture.path, copy);
    SearcherOptions options;
    options.vectors = std::make_shared<VectorTables>();
    options.postings = std::make_shared<PostingTables>();
    retrain(writer, fixture.later, 1);
    Searcher searcher(SearchPaths{{fixture.path}}, options);
    check_search(searcher, fixture.after());
    {
        // Another commit than the original's, and so the same UUID and revision.
        Xapian::WritableDatabase other(copy);
        store_fusion_model(other, bm25_and_lsa(2));
        other.commit();
    }
    REQUIRE(Xapian::Database(copy).get_revision() == Xapian::Database(fixture.path).get_revision());
    writer.close();
    fs::rename(fixture.path, fixture.folder / "former");
    fs::rename(copy, fixture.path);
    check_search(searcher, naive(fixture.corpus, bm25_and_lsa(2), kWords));
}

TEST_CASE("Searcher states: a database that vanishes is named, and searched once it is back") {
    const Fixture fixture;
    fixture.made(fixture.path).close();
    Searcher searcher(fixture.path);
    check_search(searcher, fixture.before());
    const fs::path aside = fixture.folder / "aside";
    fs::rename(fixture.path, aside);
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_WITH(searcher.search(request()),
                          Contains(fixture.path) && Contains("there is no such file or folder"));
    }
    fs::rename(aside, fixture.path);
    check_search(searcher, fixture.before());
}

TEST_CASE("Searcher states: an installed model that can't be read is named until it is mended") {
    const Fixture fixture;
    Xapian::WritableDatabase writer = fixture.made(fixture.path);
    Searcher searcher(fixture.path);
    writer.set_metadata(kFusionModelKey, "junk");
    writer.commit();
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_WITH(searcher.search(request()), Contains(kFusionModelKey));
    }
    store_fusion_model(writer, bm25_and_lsa(2));
    writer.commit();
    check_search(searcher, naive(fixture.corpus, bm25_and_lsa(2), kWords));
}

TEST_CASE("Searcher states: sidecars are followed with their databases") {
    const Fixture fixture;
    Xapian::WritableDatabase writer(fixture.path, Xapian::DB_CREATE);
    fixture.corpus.write_shard(writer, 0, 1);
    writer.commit();
    const std::string beside = (fixture.folder / "beside").string();
    Xapian::WritableDatabase sidecar(beside, Xapian::DB_CREATE);
    fixture.corpus.write_sidecar(sidecar, 0, 1);
    mark_as_sidecar(sidecar, writer.get_uuid());
    sidecar.commit();
    const SearchPaths paths{{fixture.path}, {beside}};
    Searcher searcher(paths);
    store_fusion_model(sidecar, bm25_and_lsa(4));
    sidecar.commit();
    check_search(searcher, fixture.before());
    store_fusion_model(sidecar, bm25_and_lsa(2));
    sidecar.commit();
    check_search(searcher, naive(fixture.corpus, bm25_and_lsa(2), kWords));
    SearcherOptions options;
    options.sidecars = {Xapian::Database(beside)};
    CHECK_THROWS_AS(Searcher(paths, options), InvalidArgument);
}

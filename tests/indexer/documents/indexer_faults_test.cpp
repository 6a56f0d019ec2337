// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include "braid/core/settings/stop_words.h"
#include "braid/error.h"
#include "braid/tests/indexer/documents/index_run.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

// Reads `documents`, and then fails.
void index_and_fail(const std::string& path, const Documents& documents,
                    const IndexSettings& settings) {
    Indexer indexer(path, settings);
    MemoryReader reader(documents, "broken input");
    CHECK_THROWS_WITH(indexer.add(reader), "broken input");
}

}  // namespace

TEST_CASE("Indexer: what fails leaves the last commit, and a rerun completes it") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const Documents documents = random_documents(50);
    index_and_fail(path, Documents(documents.begin(), documents.begin() + 33), {.batch = 10});
    CHECK(Xapian::Database(path).get_doccount() == 30);
    const IndexCounts counts = index(path, documents, {.batch = 20});
    CHECK(counts.unchanged == 30);
    CHECK(counts.added == 20);
    check_as_at_once(path, documents);
}

TEST_CASE("Indexer: batches larger than Xapian's own threshold are committed whole") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Documents documents;
    for (int i = 0; i < 12000; ++i) {
        documents.push_back(make_document(std::to_string(i), {{"text", "w"}}));
    }
    // Xapian commits by itself after 10,000 documents, unless they are one transaction.
    index_and_fail(path, documents, {.batch = 20000});
    CHECK(Xapian::Database(path).get_doccount() == 0);
}

TEST_CASE("Indexer: a warning sink that throws ends the work as an error does") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Documents documents = random_documents(20);
    documents.push_back(documents[0]);
    const IndexerOptions strict{.warn = [](const std::string& w) { throw braid::Error(w); }};
    CHECK_THAT(error_of([&] { index(path, documents, {.batch = 15}, strict); }),
               Contains("a second document called 'd0'"));
    CHECK(Xapian::Database(path).get_doccount() == 15);
}

TEST_CASE("Indexer: stopped by its caller, it commits what it read") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const Documents documents = random_documents(200);
    std::uint64_t reports = 0;
    IndexerOptions options{.total_bytes = 200};
    options.progress = [&](const braid::ProgressReport& report) {
        CHECK(report.phase == "indexing");
        CHECK(report.total == 200);
        CHECK(report.done > 0);
        CHECK(report.done <= 200);
        return ++reports < 3;
    };
    std::string message;
    try {
        index(path, documents, {}, options);
    } catch (const braid::Cancelled& error) {
        message = error.what();
    }
    const Xapian::doccount committed = Xapian::Database(path).get_doccount();
    CHECK(committed > 0);
    CHECK(committed < 200);
    CHECK_THAT(message,
               Contains("stopped: " + std::to_string(committed) + " documents are in the "));
    CHECK(index(path, documents).unchanged == committed);
}

TEST_CASE("Indexer: a database keeps its settings and refuses others") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    IndexSettings settings;
    index(path, random_documents(5), settings);
    settings.analysis.stemmer = "german";
    CHECK_THAT(error_of([&] { Indexer(path, settings); }),
               Contains("database '" + path + "' was indexed with other settings") &&
                   Contains("stemmer: english, german"));
    settings = IndexSettings();
    settings.analysis.stop_words = "none";
    CHECK_THAT(error_of([&] { Indexer(path, settings); }), Contains("stop words: english ("));
    // The same words by another name are the same.
    std::string list;
    for (const std::string& word : braid::english_stop_words()) list += word + "\n";
    braid::test::write_file(folder / "words", list);
    settings.analysis.stop_words = folder / "words";
    CHECK(error_of([&] { Indexer(path, settings); }) == "");
    CHECK(Xapian::Database(path).get_doccount() == 5);
}

TEST_CASE("Indexer: settings that can't be are refused before anything is made") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    IndexSettings settings;
    settings.analysis.stemmer = "klingon";
    CHECK_THROWS_AS(Indexer(path, settings), braid::UnknownComponent);
    settings = IndexSettings();
    settings.analysis.stop_words = folder / "absent";
    CHECK_THROWS_AS(Indexer(path, settings), braid::Error);
    settings = IndexSettings();
    settings.fields = {{.name = "x", .exact = true}};
    CHECK_THROWS_AS(Indexer(path, settings), braid::InvalidArgument);
    CHECK_FALSE(fs::exists(path));
}

TEST_CASE("Indexer: what isn't Braid's database is left alone") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "photos");
    braid::test::write_file(folder / "photos/cat.jpg", "meow");
    braid::test::index_by_plain_loop(random_documents(3), folder / "foreign");
    for (const bool rebuild : {false, true}) {
        const IndexerOptions options{.rebuild = rebuild};
        CHECK_THAT(error_of([&] { Indexer(folder / "photos", {}, options); }),
                   Contains("the folder holds something other than a database"));
        CHECK_THAT(error_of([&] { Indexer(folder / "foreign", {}, options); }),
                   Contains("was written by another program"));
        CHECK_THAT(error_of([&] { Indexer(folder / "photos/cat.jpg", {}, options); }),
                   Contains("neither a database nor a stub") || Contains("can't be rebuilt"));
    }
    CHECK(fs::exists(folder / "photos/cat.jpg"));
    CHECK(std::distance(fs::directory_iterator(folder / "photos"), {}) == 1);
    CHECK(Xapian::Database((folder / "foreign").string()).get_metadata("braid:index").empty());
    CHECK(Xapian::Database((folder / "foreign").string()).get_doccount() == 3);
}

TEST_CASE("Indexer: an empty folder, an empty database and a stub can be filled") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "empty");
    CHECK(index(folder / "empty", random_documents(3)).added == 3);
    Xapian::WritableDatabase((folder / "made").string(), Xapian::DB_CREATE).close();
    CHECK(index(folder / "made", random_documents(3)).added == 3);
    Xapian::WritableDatabase((folder / "shard1").string(), Xapian::DB_CREATE).close();
    Xapian::WritableDatabase((folder / "shard2").string(), Xapian::DB_CREATE).close();
    braid::test::write_file(folder / "stub", "auto shard1\nauto shard2\n");
    CHECK(index(folder / "stub", random_documents(10)).added == 10);
    CHECK(index(folder / "stub", random_documents(10)).unchanged == 10);
    CHECK(Xapian::Database((folder / "shard2").string()).get_doccount() == 5);
}

TEST_CASE("Indexer: a locked database is named as such") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, random_documents(3));
    const Indexer first(path, {});
    for (const bool rebuild : {false, true}) {
        CHECK_THAT(error_of([&] { Indexer(path, {}, {.rebuild = rebuild}); }),
                   Contains("database '" + path + "': it is locked"));
    }
}

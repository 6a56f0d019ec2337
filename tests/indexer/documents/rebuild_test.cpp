// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include "braid/error.h"
#include "braid/index.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/indexer/documents/plain_loop.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

void index(const std::string& path, const std::string& word, const IndexSettings& settings = {},
           bool rebuild = false) {
    Indexer indexer(path, settings, {.rebuild = rebuild});
    indexer.add(make_document("1", {{"text", word}}));
    indexer.finish();
}

bool has(const std::string& path, const std::string& word) {
    return Xapian::Database(path).term_exists(word);
}

std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("Rebuild: searchers keep the old database until the new one is done") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    const Xapian::Database reader(path);
    {
        Indexer indexer(path, {}, {.rebuild = true});
        indexer.add(make_document("2", {{"text", "new"}}));
        CHECK(has(path, "old"));
        indexer.finish();
        CHECK(has(path, "new"));
        CHECK_FALSE(has(path, "old"));
    }
    CHECK(Xapian::Database(path).get_doccount() == 1);
    CHECK(reader.term_exists("old"));  // an open one still reads
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("Rebuild: other settings may be given, and a new database is simply made") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    IndexSettings settings;
    index(path, "old", settings, true);
    settings.analysis.stemmer = "german";
    index(path + "/", "new", settings, true);
    CHECK(braid::load_index_settings(Xapian::Database(path))->analysis.stemmer == "german");
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("Rebuild: work that fails or is stopped leaves the old database") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    {
        Indexer indexer(path, {.batch = 1}, {.rebuild = true});
        MemoryReader reader({make_document("2", {{"text", "new"}})}, "broken input");
        CHECK_THROWS_WITH(indexer.add(reader), "broken input");
    }
    CHECK(has(path, "old"));
    {
        braid::IndexerOptions options{.rebuild = true};
        options.progress = [](const braid::ProgressReport&) { return false; };
        Indexer indexer(path, {.batch = 1}, options);
        MemoryReader reader({make_document("2", {{"text", "new"}})});
        CHECK_THROWS_WITH(indexer.add(reader),
                          "stopped: the database '" + path + "' is as it was before");
    }
    CHECK(has(path, "old"));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("Rebuild: what a rebuild of it left is cleared away, anything else is not") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    index(path + ".rebuild", "mine");  // a database like any other
    CHECK_THROWS_WITH(index(path, "new", {}, true), Contains("is in the way"));
    CHECK(has(path + ".rebuild", "mine"));
    const std::string mark = path + ".rebuild/braid-rebuild";
    braid::test::write_file(mark, "00000000-0000-0000-0000-000000000000");
    CHECK_THROWS_WITH(index(path, "new", {}, true), Contains("is in the way"));
    braid::test::write_file(mark, Xapian::Database(path).get_uuid());
    index(path, "new", {}, true);
    CHECK(has(path, "new"));
    CHECK(entries(folder.path()) == 1);
    // A removal that was cut short leaves the mark and some files.
    fs::create_directory(path + ".rebuild");
    braid::test::write_file(path + ".rebuild/postlist.glass", "half");
    braid::test::write_file(mark, Xapian::Database(path).get_uuid());
    index(path, "newer", {}, true);
    CHECK(has(path, "newer"));
    CHECK(entries(folder.path()) == 1);
    CHECK_FALSE(fs::exists(path + "/braid-rebuild"));
}

TEST_CASE("Rebuild: what it is to have beside documents is there before searchers see it") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    {
        Indexer indexer(path, {}, {.rebuild = true});
        indexer.add(make_document("2", {{"text", "new"}}));
        indexer.finish([&](const std::string& staging) {
            CHECK(has(path, "old"));
            Xapian::WritableDatabase database(staging, Xapian::DB_OPEN);
            database.set_metadata("more", "yes");
            database.commit();
        });
    }
    CHECK(has(path, "new"));
    CHECK(Xapian::Database(path).get_metadata("more") == "yes");
    {
        Indexer indexer(path, {}, {.rebuild = true});
        indexer.add(make_document("3", {{"text", "newer"}}));
        CHECK_THROWS_WITH(
            indexer.finish([](const std::string&) { throw braid::Cancelled("stopped"); }),
            "stopped: the database '" + path + "' is as it was before");
    }
    CHECK(has(path, "new"));
    CHECK(entries(folder.path()) == 1);
}

TEST_CASE("Rebuild: a link to a database is followed, a stub is refused") {
    const TemporaryFolder folder;
    index(folder / "db", "old");
    fs::create_symlink("db", folder / "link");
    index(folder / "link", "new", {}, true);
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(has(folder / "db", "new"));
    braid::test::write_file(folder / "stub", "auto db\n");
    CHECK_THROWS_WITH(index(folder / "stub", "newer", {}, true),
                      Contains("can't be rebuilt: it is not one database's folder"));
}

TEST_CASE("Rebuild: settings that can't be read any more are no obstacle") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    {
        Xapian::WritableDatabase database(path);
        database.set_metadata(braid::kIndexSettingsKey, "rubbish");
        database.commit();
    }
    CHECK_THROWS_WITH(index(path, "new"), Contains("database '" + path + "': metadata key"));
    index(path, "new", {}, true);
    CHECK(has(path, "new"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>

#include "braid/core/error.h"
#include "braid/indexer/indexer.h"
#include "braid/plugin/store/index_settings_store.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/indexer/plain_loop.h"
#include "braid/tests/support/support.h"

using braid::Indexer;
using braid::IndexSettings;
using braid::test::make_document;
using braid::test::MemoryReader;
using braid::test::TemporaryFolder;
using Catch::Contains;

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

TEST_CASE("Rebuild: what a killed rebuild left is cleared away, anything else is not") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    index(path, "old");
    index(path + ".rebuild", "half");
    index(path, "new", {}, true);
    CHECK(has(path, "new"));
    CHECK(entries(folder.path()) == 1);
    fs::create_directory(path + ".rebuild");
    braid::test::write_file(path + ".rebuild/notes", "mine");
    CHECK_THROWS_WITH(index(path, "newer", {}, true), Contains("is in the way"));
    CHECK(fs::exists(path + ".rebuild/notes"));
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/open_database.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "braid/error.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/support/support.h"

using braid::DatabasePlace;
using braid::test::TemporaryFolder;
using braid::test::write_file;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

void make_database(const std::string& path, const std::string& word) {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
    Xapian::Document document;
    document.add_term(word);
    database.add_document(document);
    database.commit();
}

std::string open_error(const std::string& spec) {
    return error_of([&] { braid::open_databases({spec}); });
}

std::string write_error(const std::string& spec) {
    return error_of([&] { braid::open_for_writing(spec); });
}

}  // namespace

TEST_CASE("Open database: a folder, a stub and several shards") {
    const TemporaryFolder folder;
    make_database(folder / "one", "a");
    make_database(folder / "two", "b");
    write_file(folder / "stub", "auto one\nauto two\n");
    CHECK(braid::open_databases({folder / "one"}).get_doccount() == 1);
    CHECK(braid::open_databases({folder / "stub"}).get_doccount() == 2);
    const Xapian::Database both = braid::open_databases({folder / "two", folder / "one"});
    CHECK(both.get_doccount() == 2);
    CHECK(*both.postlist_begin("b") == 1);  // shards keep their order
    CHECK(*both.postlist_begin("a") == 2);
    CHECK_THROWS_AS(braid::open_databases({}), braid::InvalidArgument);
}

// Xapian 2 would grow the first handle, were the others added to a copy of it.
TEST_CASE("Open database: shards are joined, the first of several databases too") {
    const TemporaryFolder folder;
    make_database(folder / "one", "a");
    make_database(folder / "two", "b");
    make_database(folder / "three", "c");
    write_file(folder / "stub", "auto one\nauto two\n");
    const std::vector<std::string> specs = {folder / "stub", folder / "three"};
    const std::vector<Xapian::Database> shards = braid::open_shards(specs);
    REQUIRE(shards.size() == 2);
    CHECK(shards[0].get_doccount() == 2);
    CHECK(shards[1].get_doccount() == 1);
    for (const Xapian::Database& all : {braid::open_databases(specs), braid::joined(shards)}) {
        CHECK(all.get_doccount() == 3);
        CHECK(*all.postlist_begin("a") == 1);
        CHECK(*all.postlist_begin("b") == 2);
        CHECK(*all.postlist_begin("c") == 3);
    }
    CHECK(shards[1].get_doccount() == 1);
}

TEST_CASE("Open database: what can't be opened says what is there") {
    const TemporaryFolder folder;
    const std::string path = folder / "x";
    CHECK_THAT(open_error(path), Contains("database '" + path + "': ") &&
                                     Contains("there is no such file or folder; expected"));
    fs::create_directory(path);
    CHECK_THAT(open_error(path), Contains("the folder is empty"));
    write_file(path + "/notes", "hello");
    CHECK_THAT(open_error(path), Contains("the folder holds no database"));
    CHECK_THAT(open_error(path + "/notes"), Contains("neither a database nor a stub"));
    write_file(folder / "stub", "auto nowhere\n");
    CHECK_THAT(open_error(folder / "stub"), Contains("nowhere"));
    write_file(folder / "empty", "");
    CHECK_THAT(open_error(folder / "empty"), Contains("a file that lists no database"));
    CHECK_THAT(open_error("localhost:1"), Contains("can't reach the server"));
    CHECK_THAT(open_error("[::1]:1"), Contains("can't reach the server"));
    CHECK_THAT(open_error(""), Contains("database ''"));
    CHECK_THAT(open_error("host:99999"), Contains("no such file"));
}

TEST_CASE("Open database: a newer format and a damaged file are told apart") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    make_database(path, "a");
    const std::string version = braid::test::read_file(path + "/iamglass");
    std::string newer = version;
    newer[14] = 0x30;  // the format's date
    write_file(path + "/iamglass", newer);
    CHECK_THAT(open_error(path), Contains("its format is not one that this Xapian") &&
                                     Contains(Xapian::version_string()));
    write_file(path + "/iamglass", version.substr(0, 10));
    CHECK_THAT(open_error(path), Contains("it is damaged"));
}

TEST_CASE("Open database: what looks damaged for a moment is not called so") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    make_database(path, "a");
    const std::string version = braid::test::read_file(path + "/iamglass");
    write_file(path + "/iamglass", version.substr(0, 10));
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        write_file(path + "/next", version);
        fs::rename(path + "/next", path + "/iamglass");
    });
    CHECK(open_error(path) == "");
    writer.join();
}

TEST_CASE("Open database: a lock that is held for a moment is waited for") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    make_database(path, "a");
    std::optional<Xapian::WritableDatabase> held = braid::open_for_writing(path);
    const auto open = [&] { return braid::open_for_writing(path); };
    int waits = 0;
    const auto release = [&] {
        if (++waits == 3) held.reset();
    };
    CHECK_NOTHROW(braid::wait_for_lock(braid::kLockPatienceAfter, open, release));
    CHECK(waits == 3);
    held = open();
    CHECK_THROWS_AS(braid::wait_for_lock(std::chrono::milliseconds(50), open),
                    braid::DatabaseLocked);
}

TEST_CASE("Open database: a file of that name wins over HOST:PORT") {
    const TemporaryFolder folder;
    make_database(folder / "host:80", "a");
    CHECK(braid::open_databases({folder / "host:80"}).get_doccount() == 1);
}

TEST_CASE("Open database: a second writer is told that it is locked, a reader is not") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    make_database(path, "a");
    const Xapian::WritableDatabase writer = braid::open_for_writing(path);
    CHECK_THAT(write_error(path),
               Contains("database '" + path + "': it is locked: another program writes to it"));
    CHECK(braid::open_databases({path}).get_doccount() == 1);
}

TEST_CASE("Open database: without rights it says so") {
    if (geteuid() != 0) {
        WARN("SKIPPED: needs root, to become someone else");
        return;
    }
    const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms(0755));
    make_database(folder / "secret", "a");
    make_database(folder / "shown", "a");
    fs::permissions(folder / "secret", fs::perms(0700));
    const pid_t child = fork();
    if (child == 0) {
        // The messages are judged here, and the verdict goes out as the exit code.
        if (setuid(65534) != 0) _exit(9);
        const auto has = [](const std::string& message, const char* part) {
            return message.find(part) != std::string::npos;
        };
        if (!has(open_error(folder / "secret"), "no rights to read it")) _exit(1);
        if (open_error(folder / "shown") != "") _exit(2);
        if (!has(write_error(folder / "shown"), "can't lock it for writing")) _exit(3);
        if (!has(write_error(folder / "shown"), "Permission denied")) _exit(4);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("Open database: shards that were indexed in different ways are refused") {
    const TemporaryFolder folder;
    braid::IndexSettings settings;
    for (const char* name : {"one", "two", "other"}) {
        settings.analysis.stemmer = std::string(name) == "other" ? "german" : "english";
        make_database(folder / name, "a");
        Xapian::WritableDatabase database((folder / name).string());
        braid::store_index_settings(database, settings);
        database.commit();
    }
    CHECK(braid::open_databases({folder / "one", folder / "two"}).get_doccount() == 2);
    CHECK_THROWS_AS(braid::open_databases({folder / "one", folder / "other"}),
                    braid::ModelMismatch);
    make_database(folder / "foreign", "a");
    CHECK_THROWS_AS(braid::open_databases({folder / "one", folder / "foreign"}),
                    braid::ModelMismatch);
}

TEST_CASE("Make a database: only where nothing is") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    CHECK(braid::look_at(path) == DatabasePlace::kNothing);
    braid::create_database(path).close();
    CHECK(braid::look_at(path) == DatabasePlace::kDatabase);
    CHECK_THROWS_AS(braid::create_database(path), braid::Error);
    fs::create_directory(folder / "empty");
    CHECK(braid::look_at(folder / "empty") == DatabasePlace::kNothing);
    braid::create_database(folder / "empty").close();
    write_file(folder / "empty/flintlock", "");  // left by a killed writer
    CHECK(braid::look_at(folder / "empty") == DatabasePlace::kDatabase);
    fs::create_directory(folder / "full");
    write_file(folder / "full/notes", "hello");
    CHECK(braid::look_at(folder / "full") == DatabasePlace::kOther);
    CHECK_THROWS_WITH(braid::create_database(folder / "full"), Contains("the path exists"));
    CHECK_THROWS_WITH(braid::create_database(folder / "no/such/folder"), Contains("mkdir failed"));
    CHECK(braid::look_at("localhost:33333") == DatabasePlace::kDatabase);
}

TEST_CASE("Make a database: where a creation was cut short, but nowhere else") {
    const TemporaryFolder folder;
    const fs::path path = folder / "db";
    fs::create_directory(path);
    write_file(path / "flintlock", "");
    write_file(path / "v.tmp", "\x0f\x0dXap");  // half of its beginning
    write_file(path / "termlist.glass", "");
    write_file(path / "postlist.glass", "");
    CHECK(braid::look_at(path) == DatabasePlace::kNothing);
    CHECK_THAT(open_error(path), Contains("the creation of a database was cut short there"));
    braid::create_database(path).close();
    CHECK(braid::open_databases({path}).get_doccount() == 0);

    SECTION("a table with bytes is of a database that lost its version file") {
        make_database(folder / "lost", "a");
        fs::remove(folder / "lost/iamglass");
        CHECK(braid::look_at(folder / "lost") == DatabasePlace::kOther);
        CHECK_THROWS_WITH(braid::create_database(folder / "lost"), Contains("the path exists"));
        CHECK(fs::file_size(folder / "lost/postlist.glass") > 0);
    }
    SECTION("files of other names or contents are somebody's") {
        fs::create_directory(folder / "mine");
        write_file(folder / "mine/flintlock", "");
        write_file(folder / "mine/v.tmp", "notes");
        CHECK(braid::look_at(folder / "mine") == DatabasePlace::kOther);
        write_file(folder / "mine/v.tmp", "");
        CHECK(braid::look_at(folder / "mine") == DatabasePlace::kNothing);
        write_file(folder / "mine/notes", "");
        CHECK(braid::look_at(folder / "mine") == DatabasePlace::kOther);
        CHECK_THROWS_AS(braid::create_database(folder / "mine"), braid::Error);
        CHECK(fs::exists(folder / "mine/v.tmp"));
    }
    SECTION("a creation that goes on now is left alone") {
        const Xapian::WritableDatabase database((folder / "busy").string(), Xapian::DB_CREATE);
        fs::remove(folder / "busy/iamglass");
        CHECK(braid::look_at(folder / "busy") == DatabasePlace::kNothing);
        CHECK_THROWS_AS(braid::create_database(folder / "busy"), braid::DatabaseLocked);
        CHECK(fs::exists(folder / "busy/postlist.glass"));
    }
}

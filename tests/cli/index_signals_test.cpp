// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <csignal>
#include <thread>

#include <xapian.h>

#include "braid/tests/cli/running_command.h"

using braid::test::CommandResult;
using braid::test::run_braid;
using braid::test::RunningCommand;
using braid::test::TemporaryFolder;

namespace {

std::string documents(int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
        const std::string number = std::to_string(i);
        text += "{\"_id\": \"d" + number + "\", \"text\": \"word" + number + " common\"}\n";
    }
    return text;
}

std::vector<std::string> arguments(const std::string& database, const std::string& input) {
    return {"index", "--db", database, "--format", "jsonl", "--batch", "1000", input};
}

// The documents that a searcher finds now; 0 as long as there is no database.
Xapian::doccount committed(const std::string& database) {
    try {
        return Xapian::Database(database).get_doccount();
    } catch (const Xapian::Error&) {
        return 0;
    }
}

// Feeds documents until some are committed; returns how many were fed.
int feed_until_committed(RunningCommand& command, const std::string& database) {
    int fed = 0;
    while (committed(database) == 0) {
        REQUIRE(fed < 200000);
        REQUIRE(command.feed(documents(fed, 2000)));
        fed += 2000;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return fed;
}

// A rerun over all documents completes the database, and makes the one that a single run makes.
void check_rerun_completes(const TemporaryFolder& folder, const std::string& database, int fed) {
    braid::test::write_file(folder / "all.jsonl", documents(0, fed + 3000));
    const Xapian::doccount before = committed(database);
    const CommandResult rerun = run_braid(arguments(database, folder / "all.jsonl"));
    CHECK(rerun.code == 0);
    CHECK_THAT(rerun.err, Catch::Contains(std::to_string(before) + " unchanged"));
    const Xapian::Database done(database);
    CHECK(done.get_doccount() == static_cast<Xapian::doccount>(fed + 3000));
    CHECK(done.get_termfreq("common") == done.get_doccount());
    CHECK(*done.postlist_begin("Qd" + std::to_string(fed)) == static_cast<Xapian::docid>(fed + 1));
    CHECK(Xapian::Database::check(database) == 0);
}

}  // namespace

TEST_CASE("braid index: Ctrl-C commits what was read and ends with 130") {
    for (const int number : {SIGINT, SIGTERM}) {
        const TemporaryFolder folder;
        const std::string database = folder / "db";
        RunningCommand command(arguments(database, "-"));
        int fed = feed_until_committed(command, database);
        command.signal(number);
        // It notices at the next document; the pipe may hold it up until there is one.
        while (fed < 400000 && command.feed(documents(fed, 2000))) fed += 2000;
        const CommandResult result = command.wait();
        CHECK(result.code == 128 + number);
        const Xapian::doccount kept = committed(database);
        CHECK_THAT(result.err, Catch::Contains("stopped: " + std::to_string(kept) +
                                               " documents are in the database"));
        CHECK(Xapian::Database::check(database) == 0);
        check_rerun_completes(folder, database, fed);
    }
}

TEST_CASE("braid index: kill -9 leaves the last commit, and a rerun completes it") {
    const TemporaryFolder folder;
    const std::string database = folder / "db";
    RunningCommand command(arguments(database, "-"));
    const int fed = feed_until_committed(command, database);
    command.signal(SIGKILL);
    CHECK(command.wait().code == 128 + SIGKILL);
    CHECK(committed(database) > 0);
    CHECK(committed(database) % 1000 == 0);
    CHECK(Xapian::Database::check(database) == 0);
    check_rerun_completes(folder, database, fed);
}

TEST_CASE("braid index: kill -9 during a rebuild leaves the old database, and a rerun works") {
    const TemporaryFolder folder;
    const std::string database = folder / "db";
    braid::test::write_file(folder / "old.jsonl", documents(0, 10));
    REQUIRE(run_braid(arguments(database, folder / "old.jsonl")).code == 0);
    auto rebuild = arguments(database, "-");
    rebuild.push_back("--rebuild");
    RunningCommand command(rebuild);
    feed_until_committed(command, database + ".rebuild");
    command.signal(SIGKILL);
    command.wait();
    CHECK(committed(database) == 10);
    rebuild = arguments(database, folder / "old.jsonl");
    rebuild.push_back("--rebuild");
    CHECK(run_braid(rebuild).code == 0);
    CHECK(committed(database) == 10);
    CHECK_FALSE(std::filesystem::exists(database + ".rebuild"));
}

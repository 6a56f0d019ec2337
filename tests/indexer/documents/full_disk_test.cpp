// SPDX-License-Identifier: GPL-2.0-or-later
#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "braid/error.h"
#include "braid/index.h"
#include "braid/tests/indexer/documents/plain_loop.h"
#include "braid/tests/support/small_disk.h"
#include "braid/tests/support/support.h"

using braid::Indexer;
using braid::test::make_document;
using braid::test::SmallDisk;
using braid::test::TemporaryFolder;

namespace {

// Documents of 20 kB of words that don't repeat, by the thousand, until something fails; then the
// error's text.
std::string fill(const std::string& path) {
    try {
        Indexer indexer(path, {.batch = 10});
        for (int i = 0; i < 1000; ++i) {
            std::string text;
            for (int j = 0; j < 2000; ++j) text += "w" + std::to_string(i * 2000 + j) + " ";
            indexer.add(make_document(std::to_string(i), {{"text", text}}));
        }
        indexer.finish();
    } catch (const braid::Error& error) {
        return error.what();
    }
    return "no error";
}

// What `fill` left is a whole number of batches and can be gone on with.
void check_left_whole(const std::string& path, const std::string& message) {
    INFO(message);
    CHECK_THAT(message, Catch::Contains("database '" + path + "': "));
    CHECK_THAT(message, Catch::Contains("the database is as it was at its last commit"));
    const Xapian::Database database(path);
    const Xapian::doccount left = database.get_doccount();
    CHECK(left > 0);
    CHECK(left % 10 == 0);
    CHECK_THAT(message, Catch::Contains(std::to_string(left) + " of the documents read here"));
    CHECK(Xapian::Database::check(path) == 0);
}

}  // namespace

TEST_CASE("Full disk: a clear error, and the database at its last commit") {
    const TemporaryFolder folder;
    const SmallDisk disk(folder.path(), 4 << 20);
    BRAID_SKIP_WITHOUT_MOUNT(disk);
    const std::string path = folder / "db";
    const std::string message = fill(path);
    CHECK_THAT(message, Catch::Contains("No space left on device"));
    check_left_whole(path, message);
}

TEST_CASE("Full disk: a file that may not grow is an error of the same kind") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    // The limit is the process's own: another one takes it.
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{2 << 20, 2 << 20};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        braid::test::write_file(folder / "message", fill(path));
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    const std::string message = braid::test::read_file(folder / "message");
    CHECK_THAT(message, Catch::Contains("File too large"));
    check_left_whole(path, message);
}

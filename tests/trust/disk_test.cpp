// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that write, on a disk that is full, nearly full, or not to be written to.
#include <algorithm>

#include "braid/tests/support/small_disk.h"
#include "braid/tests/trust/trial.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEnough = 64 << 20;
// A file system of no bytes at all has no limit.
constexpr std::size_t kPage = 4096;

// Runs every command with so many kilobytes left, then once more with room.
void check_full_disk(const Scenarios& scenarios, const std::vector<std::size_t>& kilobytes) {
    const fs::path folder = scenarios.folder() / "disk";
    fs::create_directory(folder);
    SmallDisk disk(folder, kEnough);
    BRAID_SKIP_WITHOUT_MOUNT(disk);
    int failed = 0;
    for (const Scenario& scenario : scenarios.all()) {
        Trial trial(scenarios, scenario, folder / "state");
        for (const std::size_t free : kilobytes) {
            INFO(scenario.name << " with " << free << " kB left");
            trial.prepare();
            disk.resize(std::max(disk.bytes_used() + (free << 10), kPage));
            const Outcome outcome = trial.again();
            INFO(outcome.err);
            disk.resize(kEnough);
            CHECK((outcome.code == 0 || outcome.code == 1));
            CHECK((outcome.code == 0) == outcome.err.empty());
            if (outcome.code == 1) ++failed;
            trial.check_left();
            trial.check_rerun();
        }
    }
    CHECK(failed > 0);
    WARN("full disk: " << failed << " failed with a message of "
                       << kilobytes.size() * scenarios.all().size());
}

}  // namespace

TEST_CASE("Disk: a command that a full disk stops, and run again with room") {
    check_full_disk(Scenarios(), {32});
}

TEST_CASE("Disk: commands stopped by a disk with little room left", "[.slow]") {
    check_full_disk(Scenarios(), {0, 4, 16, 48, 96, 160, 240});
}

TEST_CASE("Disk: where nothing may be written, every command says so and changes nothing") {
    const Scenarios scenarios;
    const fs::path folder = scenarios.folder() / "disk";
    fs::create_directory(folder);
    SmallDisk disk(folder, kEnough);
    BRAID_SKIP_WITHOUT_MOUNT(disk);
    for (const Scenario& scenario : scenarios.all()) {
        INFO(scenario.name);
        Trial trial(scenarios, scenario, folder / "state");
        trial.prepare();
        disk.set_read_only(true);
        const Outcome outcome = trial.again();
        CHECK(outcome.code == 1);
        CHECK_THAT(outcome.err, Catch::Contains("Read-only file system") ||
                                    Catch::Contains("no rights to write to it"));
        trial.check_unchanged();
        disk.set_read_only(false);
    }
}

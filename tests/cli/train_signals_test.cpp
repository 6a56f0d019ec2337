// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "braid/core/base/random.h"
#include "braid/tests/cli/running_command.h"

using braid::test::CommandResult;
using braid::test::RunningCommand;
using braid::test::TemporaryFolder;

namespace {

std::string letor() {
    braid::Random random(1);
    std::string text;
    for (int q = 0; q < 40; ++q) {
        for (int d = 0; d < 200; ++d) {
            text += std::to_string(d < 20 ? 1 : 0) + " qid:" + std::to_string(q);
            for (int k = 1; k <= 10; ++k) {
                text += " " + std::to_string(k) + ":" + std::to_string(random.uniform());
            }
            text += "\n";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("braid train: Ctrl-C ends with 130 and writes nothing") {
    for (const int number : {SIGINT, SIGTERM}) {
        const TemporaryFolder folder;
        const std::string old = "an older model\n";
        braid::test::write_file(folder / "model.yaml", old);
        braid::test::write_file(folder / "train", letor());
        // More than minutes of work, so that the signal comes in the middle of it.
        RunningCommand command({"train", "--letor", (folder / "train").string(), "--learner",
                                "coordinate", "-p", "restarts=100000", "--model",
                                (folder / "model.yaml").string()});
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        command.signal(number);
        const CommandResult result = command.wait();
        CHECK(result.code == 128 + number);
        CHECK(result.out.empty());
        CHECK(braid::test::read_file(folder / "model.yaml") == old);
        const auto files = std::filesystem::directory_iterator(folder.path());
        CHECK(std::distance(begin(files), end(files)) == 2);
    }
}

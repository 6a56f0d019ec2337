// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/tests/cli/running_command.h"
#include "braid/tests/cli/topic_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

// The models that a searcher finds; each must be whole.
nlohmann::json models_of(const std::string& database) {
    const CommandResult result = run_braid({"topics", "--db", database, "--json"});
    REQUIRE(result.code == 0);
    auto models = nlohmann::json::parse(result.out);
    for (const auto& model : models) {
        CHECK(model["missing"] == 0);
        CHECK(model["stale"] == 0);
        CHECK(model["foreign"] == 0);
    }
    return models;
}

// Kills the adoption of a second model at `kills` moments spread over the time it takes.
void check_kills(int documents, int kills) {
    const TopicFixture fixture(documents);
    const std::string path = fixture.folder / "copy";
    const auto arguments = [&](const std::string& model) {
        return std::vector<std::string>{"adopt",     "--db", path,      "--topics", model,
                                        "--threads", "1",    "--batch", "200"};
    };
    fixture.adopt_topics("lsa:3");
    fs::copy(fixture.database, path);
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(run_braid(arguments("lsa:5")).code == 0);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
    const std::string expected = models_of(path)[0]["id"];
    braid::Random random(braid::test::seed());
    int killed = 0;
    for (int i = 0; i < kills; ++i) {
        fs::remove_all(path);
        fs::copy(fixture.database, path);
        const double seconds = (i + random.uniform()) / kills * whole.count();
        {
            RunningCommand command(arguments("lsa:5"));
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
            command.signal(SIGKILL);
            if (command.wait().code == 128 + SIGKILL) ++killed;
        }
        INFO("killed after " << seconds << " of " << whole.count() << " s");
        CHECK(Xapian::Database::check(path) == 0);
        const auto seen = models_of(path);
        REQUIRE(seen.size() == 1);
        CHECK((seen[0]["dimensions"] == 3 || seen[0]["id"] == expected));
        CHECK(run_braid(arguments("lsa:5")).code == 0);
        const auto after = models_of(path);
        REQUIRE(after.size() == 1);
        CHECK(after[0]["id"] == expected);
        const Xapian::Database database(path);
        const unsigned slot = after[0]["slot"];
        for (unsigned other = 1000; other < 1005; ++other) {
            CHECK(database.get_value_freq(other) ==
                  (other == slot ? static_cast<Xapian::doccount>(documents) : 0U));
        }
        std::set<std::string> ids;
        for (auto key = database.metadata_keys_begin("braid:");
             key != database.metadata_keys_end("braid:"); ++key) {
            const std::string text = *key;
            if (text.size() > 24) ids.insert(text.substr(6, 16));
        }
        CHECK(ids == std::set<std::string>{expected});
    }
    CHECK(killed >= kills / 4);
}

}  // namespace

TEST_CASE("braid adopt: kill -9 at any moment leaves a whole model, and a rerun finishes") {
    check_kills(600, 3);
}

TEST_CASE("braid adopt: kill -9 at many moments of a longer adoption", "[.slow]") {
    check_kills(3000, 12);
}

TEST_CASE("braid adopt: Ctrl-C ends it with 130 and says how to go on") {
    const TopicFixture fixture(3000);
    RunningCommand command({"adopt", "--db", fixture.database, "--topics", "lda:20", "--threads",
                            "1", "--batch", "10"});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    command.signal(SIGINT);
    const CommandResult result = command.wait();
    CHECK(result.code == 128 + SIGINT);
    CHECK(models_of(fixture.database).empty());
    CHECK(Xapian::Database::check(fixture.database) == 0);
}

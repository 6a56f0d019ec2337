// SPDX-License-Identifier: GPL-2.0-or-later
// Commands for which memory runs out: at one allocation, or from one on. They say so, and the same
// command with memory ends like a run that nothing disturbed. BRAID_TEST_SEED chooses the
// allocations.
#include "braid/core/base/random.h"
#include "braid/tests/trust/trial.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

// Whether it failed, with a message.
bool check_outcome(const Outcome& outcome) {
    INFO(outcome.err);
    CHECK((outcome.code == 0 || outcome.code == 1));
    CHECK((outcome.code == 0) == outcome.err.empty());
    CHECK_THAT(outcome.err, !Catch::Contains("damaged") && !Catch::Contains("bad_alloc"));
    return outcome.code == 1;
}

std::vector<Scenario> readers(const Scenarios& scenarios) {
    const auto reader = [&](std::string name, std::vector<std::string> more) {
        return Scenario{.name = name,
                        .before = scenarios.complete(),
                        .arguments = [name, more](const fs::path& state) {
                            std::vector<std::string> all = {name, "--db", state / "db"};
                            all.insert(all.end(), more.begin(), more.end());
                            return all;
                        }};
    };
    Scenario run;
    run.name = "run";
    run.before = scenarios.complete();
    run.arguments = [&scenarios](const fs::path& state) {
        std::vector<std::string> all = scenarios.run_arguments(state, false);
        all.erase(all.begin());  // The program.
        return all;
    };
    return {run, reader("search", {"--explain", "-q", "w1", "w2", "w3"}), reader("topics", {}),
            reader("check", {"-q"})};
}

void check_memory(const Scenarios& scenarios, int count) {
    int failed = 0;
    int tried = 0;
    Random random(braid::test::seed());
    const auto faults = [&](long allocations) {
        std::vector<Fault> chosen;
        for (int i = 0; i < count; ++i) {
            const auto at = 1 + static_cast<long>(random.below(allocations));
            chosen.push_back({.kind = i % 2 == 0 ? "null" : "memory", .at = at});
        }
        return chosen;
    };
    const auto state = scenarios.folder() / "state";
    for (const Scenario& scenario : scenarios.all()) {
        Trial trial(scenarios, scenario, state);
        for (const Fault& fault : faults(trial.allocations())) {
            INFO(trial.name() << ", " << fault.to_string() << " of " << trial.allocations()
                              << " allocations; seed " << braid::test::seed());
            ++tried;
            failed += check_outcome(trial.with(fault)) ? 1 : 0;
            trial.check_left();
            trial.check_rerun();
        }
    }
    for (const Scenario& scenario : readers(scenarios)) {
        copy_state(scenario.before, state);
        const long allocations = count_calls(scenario, state).allocations;
        for (const Fault& fault : faults(allocations)) {
            INFO(scenario.name << ", " << fault.to_string() << " of " << allocations
                               << " allocations; seed " << braid::test::seed());
            ++tried;
            failed += check_outcome(run_with(fault, scenario, state)) ? 1 : 0;
        }
    }
    CHECK(failed > 0);
    WARN("memory: " << failed << " of " << tried << " commands failed with a message; seed "
                    << braid::test::seed());
}

}  // namespace

TEST_CASE("Memory: a command for which it runs out says so") { check_memory(Scenarios(), 4); }

TEST_CASE("Memory: 550 commands for which it runs out", "[.slow]") {
    check_memory(Scenarios(), 50);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that write, as real processes, cut short at a write or at a moment: what they leave is
// sound, is searched, and the same command once more ends like a run that nothing disturbed.
// docs/trust.md says what is promised. BRAID_TEST_SEED chooses the writes and the moments.
#include <cerrno>
#include <csignal>

#include "braid/core/base/random.h"
#include "braid/tests/trust/trial.h"

using namespace braid;
using namespace braid::test;

namespace {

void check_kill(Trial& trial, const Fault& fault) {
    INFO(trial.name() << ", " << fault.to_string() << " of " << trial.calls() << " calls; seed "
                      << braid::test::seed());
    CHECK(trial.with(fault).code == 128 + SIGKILL);
    trial.check_left();
    trial.check_rerun();
}

// Whether the command failed with a message: what fails after the last commit is no loss.
bool check_failure(Trial& trial, const Fault& fault) {
    INFO(trial.name() << ", " << fault.to_string() << " of " << trial.calls() << " calls; seed "
                      << braid::test::seed());
    const Outcome outcome = trial.with(fault);
    INFO(outcome.err);
    CHECK((outcome.code == 0 || outcome.code == 1));
    CHECK((outcome.code == 0) == outcome.err.empty());
    trial.check_left();
    trial.check_rerun();
    return outcome.code == 1;
}

void check_kills_at_writes(const Scenarios& scenarios, const std::string& kind, int count) {
    Random random(braid::test::seed());
    for (const Scenario& scenario : scenarios.all()) {
        Trial trial(scenarios, scenario, scenarios.folder() / "state");
        for (const long at : spread(trial.calls(), count)) {
            const auto keep = static_cast<long>(random.below(1000));
            check_kill(trial, {.kind = kind, .at = at, .keep = keep});
        }
    }
    WARN(kind << ": " << static_cast<std::size_t>(count) * scenarios.all().size()
              << " killed, seed " << braid::test::seed());
}

// Kills until `count` were killed while they worked.
void check_kills_at_moments(const Scenarios& scenarios, int count) {
    int killed = 0;
    int tried = 0;
    Random random(braid::test::seed());
    const auto each = static_cast<int>(scenarios.all().size());
    for (int s = 0; s < each; ++s) {
        const Scenario& scenario = scenarios.all()[static_cast<std::size_t>(s)];
        Trial trial(scenarios, scenario, scenarios.folder() / "state");
        // How long it works follows the machine's load: shorter where a kill came too late.
        double working = trial.seconds();
        for (const int goal = count * (s + 1) / each; killed < goal; ++tried) {
            REQUIRE(tried < 10 * count);
            const double seconds = random.uniform() * working;
            INFO(trial.name() << " killed after " << seconds << " of " << working << " s; seed "
                              << braid::test::seed());
            const bool in_time = trial.killed_after(seconds).timed_out;
            killed += in_time ? 1 : 0;
            working *= in_time ? 1.05 : 0.9;
            trial.check_left();
            trial.check_rerun();
        }
    }
    WARN("killed at a moment: " << killed << " of " << tried << " tried, seed "
                                << braid::test::seed());
}

void check_failing_writes(const Scenarios& scenarios, int count) {
    int failed = 0;
    for (const Scenario& scenario : scenarios.all()) {
        Trial trial(scenarios, scenario, scenarios.folder() / "state");
        for (const long at : spread(trial.calls(), count)) {
            const int error = at % 2 == 0 ? ENOSPC : EIO;
            if (check_failure(trial, {.kind = "fail", .at = at, .error = error})) ++failed;
        }
    }
    WARN("failing writes: " << failed << " of "
                            << static_cast<std::size_t>(count) * scenarios.all().size()
                            << " commands failed with a message");
}

}  // namespace

// The first calls of those that create a database, one in two, which leave a folder that is none.
TEST_CASE("Faults: a database whose creation is cut short anywhere is created by a rerun") {
    const Scenarios scenarios;
    for (const char* name : {"index", "sidecar", "rebuild"}) {
        Trial trial(scenarios, scenarios.find(name), scenarios.folder() / "state");
        for (long at = 2; at <= 14; at += 3) {
            const Fault fault{.kind = at % 2 == 0 ? "kill" : "torn", .at = at, .keep = 400};
            check_kill(trial, fault);
        }
    }
}

TEST_CASE("Faults: a command that is cut short, and run again") {
    const Scenarios scenarios;
    Random random(braid::test::seed());
    for (const Scenario& scenario : scenarios.all()) {
        Trial trial(scenarios, scenario, scenarios.folder() / "state");
        const auto some_call = [&] { return 1 + static_cast<long>(random.below(trial.calls())); };
        check_kill(trial, {.kind = "kill", .at = some_call()});
        check_kill(trial, {.kind = "torn", .at = some_call(), .keep = 500});
        check_failure(trial, {.kind = "fail", .at = some_call(), .error = ENOSPC});
    }
}

// Three renames take the place of the exchange; for a moment there is no database in DB.
TEST_CASE("Faults: a rebuild that is cut short where folders can't be exchanged", "[.slow]") {
    const Scenarios scenarios;
    Trial trial(scenarios, scenarios.find("rebuild"), scenarios.folder() / "state");
    for (long at = trial.calls() - 20; at <= trial.calls() + 2; ++at) {
        const Fault fault{.at = at, .no_exchange = true};
        INFO(fault.to_string() << " of " << trial.calls() + 2);
        CHECK(trial.with(fault).code == 128 + SIGKILL);
        trial.check_rerun();
    }
}

TEST_CASE("Faults: 200 commands killed at some moment", "[.slow]") {
    check_kills_at_moments(Scenarios(), 200);
}

TEST_CASE("Faults: 175 commands killed at a write", "[.slow]") {
    check_kills_at_writes(Scenarios(), "kill", 25);
}

TEST_CASE("Faults: 175 commands killed in the middle of a write", "[.slow]") {
    check_kills_at_writes(Scenarios(), "torn", 25);
}

TEST_CASE("Faults: 105 commands whose writes fail", "[.slow]") {
    check_failing_writes(Scenarios(), 15);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/trust/trial.h"

#include <utility>

#include <xapian.h>

namespace braid::test {
namespace {

namespace fs = std::filesystem;

void check_equal(const Seen& seen, const Seen& expected) {
    CHECK(seen.run == expected.run);
    CHECK(seen.topics == expected.topics);
    CHECK(seen.files == expected.files);
    // Too long to be printed whole.
    std::size_t at = 0;
    const std::string& content = seen.content;
    while (at < content.size() && at < expected.content.size() &&
           content[at] == expected.content[at])
        ++at;
    const std::size_t line = at == 0 ? 0 : content.rfind('\n', at - 1) + 1;
    INFO("found " << content.substr(line, 300));
    INFO("expected " << expected.content.substr(line, 300));
    CHECK((content == expected.content));
}

}  // namespace

Trial::Trial(const Scenarios& scenarios, const Scenario& scenario, fs::path state)
    : scenarios_(scenarios), scenario_(scenario), state_(std::move(state)) {
    prepare();
    before_ = look();
    const Outcome whole = again();
    INFO(whole.err);
    REQUIRE(whole.code == 0);
    seconds_ = whole.seconds;
    expected_ = look();
    prepare();
    calls_ = count_calls(scenario_, state_);
    REQUIRE(calls_.files > 0);
    REQUIRE(look() == expected_);  // or it could not be told what a rerun must end like
}

void Trial::prepare() { copy_state(scenario_.before, state_); }

Outcome Trial::with(const Fault& fault) {
    prepare();
    return run_with(fault, scenario_, state_);
}

Outcome Trial::killed_after(double seconds) {
    prepare();
    return again(std::chrono::duration<double>(seconds));
}

Outcome Trial::again(std::chrono::duration<double> limit) const {
    Launch launch{.arguments = scenario_.arguments(state_), .kill_after = limit};
    launch.arguments.insert(launch.arguments.begin(), braid_program());
    return run(launch);
}

void Trial::check_left() const {
    for (const char* name : {"db", "side"}) {
        if (!fs::exists(state_ / name / "iamglass")) continue;
        CHECK(Xapian::Database::check((state_ / name).string()) == 0);
    }
    // A sidecar that isn't there yet is named by nobody.
    const bool has_sidecar = scenario_.has_sidecar && fs::exists(state_ / "side" / "iamglass");
    const Outcome searched = run({.arguments = scenarios_.run_arguments(state_, has_sidecar)});
    INFO(searched.err);
    CHECK((searched.code == 0 || searched.code == 1));
    CHECK((searched.code == 0) == searched.err.empty());
    if (!scenario_.at_once) return;
    CHECK(searched.code == 0);
    CHECK((searched.out == before_.run || searched.out == expected_.run));
}

void Trial::check_rerun() const {
    const Outcome outcome = again();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    check_equal(look(), expected_);
}

void Trial::check_unchanged() const { check_equal(look(), before_); }

std::vector<long> spread(long calls, int count) {
    std::vector<long> chosen;
    for (int i = 0; i < count; ++i) {
        chosen.push_back(count == 1 ? 1 : 1 + i * (calls - 1) / (count - 1));
    }
    return chosen;
}

}  // namespace braid::test

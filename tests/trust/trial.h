// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "braid/tests/trust/scenarios.h"

namespace braid::test {

/// One command with what it makes where nothing disturbs it, and disturbed runs of it in the folder
/// `state`. Borrows the scenarios.
class Trial {
  public:
    /// Finds what an undisturbed run makes.
    Trial(const Scenarios& scenarios, const Scenario& scenario, std::filesystem::path state);

    const std::string& name() const { return scenario_.name; }
    /// Calls that change files, of an undisturbed run, and how long it takes.
    long calls() const { return calls_.files; }
    long allocations() const { return calls_.allocations; }
    double seconds() const { return seconds_; }

    /// Puts the folder as it is before the command.
    void prepare();
    Outcome with(const Fault& fault);
    Outcome killed_after(double seconds);
    /// The command in the folder as it is now.
    Outcome again(std::chrono::duration<double> limit = std::chrono::seconds(60)) const;

    /// What a disturbed run left: sound for Xapian, searched by Braid or refused with a reason;
    /// where the result is to be seen at once, all of it or none.
    void check_left() const;
    /// The same command once more ends like an undisturbed run.
    void check_rerun() const;
    /// The folder is as `prepare` makes it.
    void check_unchanged() const;

  private:
    Seen look() const { return scenarios_.look(state_, scenario_.has_sidecar); }

    const Scenarios& scenarios_;
    const Scenario& scenario_;
    std::filesystem::path state_;
    Seen before_;
    Seen expected_;
    Calls calls_;
    double seconds_ = 0;
};

/// Spread over all of a command's calls, the first and last among them.
std::vector<long> spread(long calls, int count);

}  // namespace braid::test

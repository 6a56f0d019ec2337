// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// The `braid` of this build while it runs, fed through a pipe: for signals in the middle of work.
class RunningCommand {
  public:
    explicit RunningCommand(const std::vector<std::string>& arguments);
    /// Kills the command if it still runs.
    ~RunningCommand();
    RunningCommand(const RunningCommand&) = delete;
    RunningCommand& operator=(const RunningCommand&) = delete;

    /// Writes to its standard input; false once it no longer reads.
    bool feed(std::string_view text);
    void signal(int number);
    /// Ends its input and waits for it.
    CommandResult wait();

  private:
    TemporaryFolder folder_;
    pid_t child_ = -1;
    int input_ = -1;
};

}  // namespace braid::test

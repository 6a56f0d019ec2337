// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

namespace braid::test {

/// What a run of the command printed and returned.
struct CommandResult {
    int code = -1;  ///< The exit code; 128 + the signal where one ended it.
    std::string out;
    std::string err;
    long peak_kilobytes = 0;  ///< Of memory, at once.
};

/// Runs the `braid` of this build with `arguments`, `input` as its standard input. Nothing goes
/// through a shell.
CommandResult run_braid(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace braid::test

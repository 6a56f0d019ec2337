// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace braid::test {

/// A process to start.
struct Launch {
    std::vector<std::string> arguments;                   ///< The program's path first.
    std::map<std::string, std::string> environment = {};  ///< Beside this process's own.
    /// It is killed when it has run for so long.
    std::chrono::duration<double> kill_after = std::chrono::seconds(60);
};

/// How a process ended, and what it wrote.
struct Outcome {
    int code = -1;           ///< The exit code; 128 + the signal where one ended it.
    bool timed_out = false;  ///< It was killed after its time.
    double seconds = 0;
    std::string out;
    std::string err;

    /// Neither an answer nor an error message: a signal, or no end within the time.
    bool is_crash() const { return timed_out || code > 128; }
};

/// Starts a process and waits for it. Nothing goes through a shell.
Outcome run(const Launch& launch);

}  // namespace braid::test

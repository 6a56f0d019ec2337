// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace braid::bench {

struct ProcessCost {
    double wall = 0;       ///< Seconds.
    double processor = 0;  ///< Seconds, user and system.
    double megabytes = 0;  ///< The most memory it had.
};

/// Runs `work` in a child process, whose memory is its own. Throws Error if it fails there; what
/// went wrong is on standard error then.
ProcessCost run_in_child(const std::function<void()>& work);

/// Replaces a child by another program, whose standard output is thrown away.
[[noreturn]] void become_silent(const std::vector<std::string>& words);

/// A new folder that goes with the object.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

}  // namespace braid::bench

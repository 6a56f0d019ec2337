// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace braid {

/// What long work tells its caller now and then. `total` is 0 where it is not known.
struct ProgressReport {
    std::string phase;  ///< "indexing", "training lsa": a present participle and its object.
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string unit = "documents";
    std::string detail;  ///< Optional, one phrase: the objective, the file being read.
};

/// Called from the thread that does the work, at most a few thousand times a second. Returning
/// false asks the work to stop; it then throws Cancelled after bringing what it wrote into a
/// state that can be continued. An empty function means "go on".
using Progress = std::function<bool(const ProgressReport&)>;

/// Where something is wrong but going on is right. The message already names file and line.
using WarningSink = std::function<void(const std::string& message)>;

}  // namespace braid

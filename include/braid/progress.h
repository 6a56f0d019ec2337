// SPDX-License-Identifier: GPL-2.0-or-later
// Following long work, and stopping it:
//
//     #include <iostream>
//     #include "braid/adopt.h"
//
//     braid::AdoptOptions options;
//     options.progress = [](const braid::ProgressReport& report) {
//         std::cerr << report.phase << ' ' << report.done << " of " << report.total << '\n';
//         return true;  // False stops the work, which then throws Cancelled.
//     };
//     braid::adopt_topics({"packages"}, options);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/error.h"

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

/// Runs independent chunks of offline work. The number of chunks depends on the data, never on the
/// number of threads, and results are reduced in chunk order, so a result is bit-equal at 1, 2 and
/// 8 threads. The query path uses no executor.
class BRAID_API Executor {
  public:
    virtual ~Executor() = default;

    /// Calls `work(0)` .. `work(chunks - 1)`, in any order, possibly in parallel; returns when all
    /// are done. After an exception no further chunk starts, and the first exception in chunk order
    /// is rethrown.
    virtual void run(std::size_t chunks, const std::function<void(std::size_t)>& work) = 0;

    virtual std::size_t threads() const = 0;
};

/// An executor of `threads` threads (0: as many as the machine has). One thread means that chunks
/// run in order in the caller's thread. Threads start with the first run that needs them and stay
/// until the executor is destroyed. fork() doesn't copy them: the child must make its own executor,
/// and neither use nor destroy its parent's. Any thread may call `run`, also from within a run.
BRAID_API std::unique_ptr<Executor> make_executor(std::size_t threads);

}  // namespace braid

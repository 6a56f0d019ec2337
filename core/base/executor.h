// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "braid/core/base/export.h"

namespace braid {

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
/// run in order in the caller's thread.
BRAID_API std::unique_ptr<Executor> make_executor(std::size_t threads);

}  // namespace braid

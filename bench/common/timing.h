// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/resource.h>

namespace braid::bench {

/// Of the processor, for this process: what other programs do doesn't count.
inline double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

}  // namespace braid::bench

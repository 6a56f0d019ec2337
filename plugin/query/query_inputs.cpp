// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/query_inputs.h"

#include <chrono>

namespace braid {

double clock_time() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
// Whoever loads this library holds the loader's lock for as many milliseconds as SLOW_LIBRARY says.
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

__attribute__((constructor)) void wait() {
    const char* const milliseconds = std::getenv("SLOW_LIBRARY");
    if (milliseconds == nullptr) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(milliseconds)));
}

}  // namespace

// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded, it makes the first look for a library that is there take SLOW_LIBRARY milliseconds.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name,
                                                               int flags) noexcept {
    static std::atomic<bool> is_first = true;
    const char* const milliseconds = std::getenv("SLOW_LIBRARY");
    if (milliseconds != nullptr && (flags & RTLD_NOLOAD) != 0 && is_first.exchange(false)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(milliseconds)));
    }
    return reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}

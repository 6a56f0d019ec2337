// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/common/timing.h"

#include <algorithm>
#include <limits>
#include <sys/resource.h>

#include "braid/core/eval/summary.h"

namespace braid::bench {

double user_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

double median_processor_seconds(std::size_t runs, const std::function<void()>& work) {
    std::vector<double> times;
    for (std::size_t run = 0; run < runs; ++run) {
        const double start = processor_seconds();
        work();
        times.push_back(processor_seconds() - start);
    }
    return percentile(std::move(times), 50);
}

double percentile(std::vector<double> values, std::size_t percent) {
    std::sort(values.begin(), values.end());
    return values[values.size() * percent / 100];
}

void QueryTimes::reset(std::size_t queries) {
    milliseconds_.assign(queries, std::numeric_limits<double>::infinity());
}

void QueryTimes::add(std::size_t query, double milliseconds) {
    milliseconds_[query] = std::min(milliseconds_[query], milliseconds);
}

double QueryTimes::mean() const { return braid::mean(milliseconds_); }

double QueryTimes::percentile(std::size_t percent) const {
    return bench::percentile(milliseconds_, percent);
}

}  // namespace braid::bench

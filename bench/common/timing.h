// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <vector>

namespace braid::bench {

/// Processor time of this process in user mode: other programs do not count, nor does the kernel.
double user_seconds();

/// Processor time of this process, user and system, all threads.
double processor_seconds();

/// Processor time of this thread.
double thread_milliseconds();

double wall_seconds();

/// The most memory that this process has had so far.
double peak_megabytes();

class Stopwatch {
  public:
    double seconds() const { return wall_seconds() - start_; }
    double processor_seconds() const { return bench::processor_seconds() - processor_start_; }

  private:
    double start_ = wall_seconds();
    double processor_start_ = bench::processor_seconds();
};

/// The processor time of `work`, the median of so many runs.
double median_processor_seconds(std::size_t runs, const std::function<void()>& work);

/// The value below which so many percent of the values are. There must be one.
double percentile(std::vector<double> values, std::size_t percent);

/// The time of each query: the least of its rounds, since other programs may be running.
class QueryTimes {
  public:
    void reset(std::size_t queries);
    void add(std::size_t query, double milliseconds);

    double mean() const;
    double percentile(std::size_t percent) const;
    double median() const { return percentile(50); }

  private:
    std::vector<double> milliseconds_;
};

}  // namespace braid::bench

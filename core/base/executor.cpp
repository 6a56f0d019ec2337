// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "braid/progress.h"

namespace braid {
namespace {

/// The chunks of one run, taken by each thread that works at them.
class Job {
  public:
    Job(std::size_t chunks, const std::function<void(std::size_t)>& work)
        : work_(work), failures_(chunks) {}

    std::size_t helpers = 0;  ///< Working at it; the executor's mutex guards this.

    std::size_t chunks() const { return failures_.size(); }
    bool has_more() const { return next_ < chunks() && !has_failed_; }

    void drain() {
        for (std::size_t i = next_++; i < chunks() && !has_failed_; i = next_++) {
            try {
                work_(i);
            } catch (...) {
                failures_[i] = std::current_exception();
                has_failed_ = true;
            }
        }
    }
    void rethrow() const {
        for (const std::exception_ptr& failure : failures_) {
            if (failure) std::rethrow_exception(failure);
        }
    }

  private:
    const std::function<void(std::size_t)>& work_;
    std::vector<std::exception_ptr> failures_;
    std::atomic<std::size_t> next_{0};
    // Chunks begin in order: those before the first that fails have begun when it does.
    std::atomic<bool> has_failed_{false};
};

/// Its helpers stay from the first run that needs them: learners run some thousand times, with work
/// of a few microseconds, and starting a thread takes as long. A run ends when its chunks do, also
/// if a helper has not woken yet.
class ThreadExecutor final : public Executor {
  public:
    explicit ThreadExecutor(std::size_t threads) : threads_(threads) {}
    ~ThreadExecutor() override {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
    }

    void run(std::size_t chunks, const std::function<void(std::size_t)>& work) override {
        Job job(chunks, work);
        const bool is_offered = offer(job);
        job.drain();
        if (is_offered) withdraw(job);
        job.rethrow();
    }

    std::size_t threads() const override { return threads_; }

  private:
    /// False where the caller works alone: one chunk or thread, or another run that has the
    /// helpers.
    bool offer(Job& job) {
        const std::size_t wanted = std::min(threads_, job.chunks());
        if (wanted < 2) return false;
        {
            const std::lock_guard lock(mutex_);
            if (job_) return false;
            while (helpers_.size() + 1 < wanted) helpers_.emplace_back([this] { help(); });
            job_ = &job;
        }
        wake_.notify_all();
        return true;
    }
    /// Waits for this job's helpers only: the caller may be a helper of another run, whose own
    /// caller waits for it.
    void withdraw(const Job& job) {
        std::unique_lock lock(mutex_);
        job_ = nullptr;
        idle_.wait(lock, [&job] { return job.helpers == 0; });
    }
    void help() {
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [this] { return closing_ || (job_ && job_->has_more()); });
            if (closing_) return;
            Job& job = *job_;
            ++job.helpers;
            lock.unlock();
            job.drain();
            lock.lock();
            if (--job.helpers == 0) idle_.notify_all();
        }
    }

    std::size_t threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    Job* job_ = nullptr;
    bool closing_ = false;
    std::vector<std::jthread> helpers_;  ///< Last: joined before the rest goes.
};

}  // namespace

std::unique_ptr<Executor> make_executor(std::size_t threads) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<ThreadExecutor>(threads);
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "braid/progress.h"

namespace braid {
namespace {

class ThreadExecutor final : public Executor {
  public:
    explicit ThreadExecutor(std::size_t threads) : threads_(threads) {}

    void run(std::size_t chunks, const std::function<void(std::size_t)>& work) override {
        std::vector<std::exception_ptr> failures(chunks);
        std::atomic<std::size_t> next{0};
        // Chunks begin in order: those before the first that fails have begun when it does.
        std::atomic<bool> has_failed{false};
        const auto drain = [&] {
            for (std::size_t i = next++; i < chunks && !has_failed; i = next++) {
                try {
                    work(i);
                } catch (...) {
                    failures[i] = std::current_exception();
                    has_failed = true;
                }
            }
        };
        {
            std::vector<std::jthread> helpers;
            for (std::size_t t = 1; t < std::min(threads_, chunks); ++t)
                helpers.emplace_back(drain);
            drain();
        }
        for (const std::exception_ptr& failure : failures) {
            if (failure) std::rethrow_exception(failure);
        }
    }

    std::size_t threads() const override { return threads_; }

  private:
    std::size_t threads_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(std::size_t threads) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    return std::make_unique<ThreadExecutor>(threads);
}

}  // namespace braid

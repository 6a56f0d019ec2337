// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "braid/progress.h"
#include "braid/tests/support/support.h"

TEST_CASE("Executor: every chunk runs once at any number of threads") {
    for (const std::size_t threads : {1U, 2U, 8U}) {
        const auto executor = braid::make_executor(threads);
        CHECK(executor->threads() == threads);
        std::vector<std::atomic<int>> calls(100);
        executor->run(calls.size(), [&](std::size_t i) { ++calls[i]; });
        for (const auto& count : calls) REQUIRE(count == 1);
        executor->run(0, [](std::size_t) { FAIL("no chunk to run"); });
    }
}

TEST_CASE("Executor: the first failure in chunk order is rethrown") {
    const auto executor = braid::make_executor(4);
    std::atomic<int> finished{0};
    const auto work = [&](std::size_t i) {
        ++finished;
        if (i % 2 == 1) throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH(executor->run(8, work), "1");
    CHECK(finished >= 2);
}

TEST_CASE("Executor: a run ends when its helpers' chunks do, and has runs within") {
    const auto executor = braid::make_executor(2);
    for (int run = 0; run < 3; ++run) {
        std::latch both(2);  // Each chunk in a thread of its own.
        std::atomic<int> calls{0};
        const auto caller = std::this_thread::get_id();
        executor->run(2, [&](std::size_t) {
            both.arrive_and_wait();
            if (std::this_thread::get_id() != caller) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            executor->run(10, [&](std::size_t) { ++calls; });
        });
        CHECK(calls == 20);
    }
}

TEST_CASE("Executor: runs of several threads at once are whole") {
    const auto executor = braid::make_executor(4);
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int run = 0; run < 20; ++run) executor->run(10, [&](std::size_t) { ++calls; });
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(calls == 3 * 20 * 10);
}

TEST_CASE("Executor: a helper's own run ends while the outer run waits for the helper") {
    const auto executor = braid::make_executor(2);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> calls{0};
    std::atomic<bool> is_helped{false};
    executor->run(2, [&](std::size_t) {
        if (std::this_thread::get_id() == caller) {
            while (!is_helped) std::this_thread::yield();
            return;
        }
        is_helped = true;
        // The caller has no chunk left by then.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        executor->run(4, [&](std::size_t) { ++calls; });
    });
    CHECK(calls == 4);
}

TEST_CASE("Executor: two runs that wait for helpers at the same time both end") {
    const auto executor = braid::make_executor(3);
    std::atomic<int> ended{0};
    // Each caller leaves its helpers at work, the first one's for longer.
    const auto run = [&](int milliseconds) {
        const auto caller = std::this_thread::get_id();
        std::atomic<bool> is_helped{false};
        executor->run(2, [&](std::size_t) {
            if (std::this_thread::get_id() == caller) {
                for (int i = 0; i < 100 && !is_helped; ++i) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                return;
            }
            is_helped = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        });
        ++ended;
    };
    executor->run(3, [](std::size_t) {});  // Starts both helpers.
    std::thread first([&] { run(200); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::thread second([&] { run(250); });
    first.join();
    second.join();
    CHECK(ended == 2);
}

TEST_CASE("Executor: each run sees what the runs before it wrote") {
    for (const std::size_t threads : {1U, 2U, 8U}) {
        const auto executor = braid::make_executor(threads);
        std::vector<std::size_t> sums(20);
        for (std::size_t run = 1; run <= 2000; ++run) {
            executor->run(sums.size(), [&](std::size_t i) { sums[i] += run; });
        }
        CHECK(sums == std::vector<std::size_t>(20, 2000 * 2001 / 2));
    }
}

TEST_CASE("Executor: after a failure the next run is whole") {
    const auto executor = braid::make_executor(4);
    for (int run = 0; run < 50; ++run) {
        CHECK_THROWS_WITH(executor->run(8, [](std::size_t) { throw std::runtime_error("no"); }),
                          "no");
        std::vector<std::atomic<int>> calls(100);
        executor->run(calls.size(), [&](std::size_t i) { ++calls[i]; });
        for (const auto& count : calls) REQUIRE(count == 1);
    }
}

TEST_CASE("Executor: nothing begins after a failure") {
    for (const std::size_t threads : {1U, 4U}) {
        std::atomic<std::size_t> begun{0};
        const auto work = [&](std::size_t i) {
            ++begun;
            if (i >= 3) throw std::runtime_error(std::to_string(i));
        };
        CHECK_THROWS_WITH(braid::make_executor(threads)->run(100000, work), "3");
        CHECK(begun <= 3 + threads);
    }
}

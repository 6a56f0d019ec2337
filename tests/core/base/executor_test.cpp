// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <stdexcept>
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

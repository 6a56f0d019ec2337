// SPDX-License-Identifier: GPL-2.0-or-later
// Nanoseconds a product of a query's vector with stored ones: each coding and instruction set,
// beside plain loops.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/core/base/random.h"
#include "braid/core/vectors/query_vector.h"

namespace braid::bench {
namespace {

using braid::StoredVector;
using braid::VectorCoding;
using Clock = std::chrono::steady_clock;

volatile double sink = 0;

/// The median of 15 runs over `count` vectors, each long enough for the clock.
template <typename Dot>
double nanoseconds(std::size_t count, const Dot& dot) {
    std::vector<double> times;
    const std::size_t repeats = 1 + 200'000 / count;
    for (int run = 0; run < 15; ++run) {
        const auto start = Clock::now();
        double sum = 0;
        for (std::size_t r = 0; r < repeats; ++r) {
            for (std::size_t i = 0; i < count; ++i) sum += dot(i);
        }
        sink = sum;
        const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
        times.push_back(elapsed.count() / static_cast<double>(count * repeats));
    }
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
}

std::vector<float> random_unit(braid::Random& random, std::size_t dimensions) {
    Eigen::VectorXf x(static_cast<Eigen::Index>(dimensions));
    for (float& value : x) value = static_cast<float>(std::fabs(random.normal()));
    x.normalize();
    return {x.begin(), x.end()};
}

/// 500 vectors one after the other, which fit the second-level cache up to K = 400.
void time_kernels(std::size_t dimensions) {
    constexpr std::size_t kCount = 500;
    constexpr const char* kNames[] = {"s8", "u8", "f16", "f32"};
    braid::Random random(1);
    const std::vector<float> query = random_unit(random, dimensions);
    for (unsigned coding = 0; coding < 4; ++coding) {
        std::string bytes;
        std::vector<std::size_t> begin = {0};
        std::vector<StoredVector> stored;
        for (std::size_t i = 0; i < kCount; ++i) {
            bytes += braid::encode_vector({static_cast<VectorCoding>(coding), 0, 70},
                                          random_unit(random, dimensions));
            begin.push_back(bytes.size());
        }
        const auto bytes_of = [&](std::size_t i) {
            return std::string_view(bytes).substr(begin[i], begin[i + 1] - begin[i]);
        };
        for (std::size_t i = 0; i < kCount; ++i) {
            stored.push_back(braid::open_vector(bytes_of(i), dimensions, "bench"));
        }
        fmt::print("K {} {:4}", dimensions, kNames[coding]);
        std::vector<float> decoded(dimensions);
        const auto naive = [&](std::size_t i) {
            braid::decode_vector(stored[i], decoded);
            float sum = 0;
            for (std::size_t k = 0; k < dimensions; ++k) sum += query[k] * decoded[k];
            return sum;
        };
        fmt::print("  decode and loop {:6.1f}", nanoseconds(kCount, naive));
        if (coding == 3) {
            using Map = Eigen::Map<const Eigen::VectorXf>;
            const auto size = static_cast<Eigen::Index>(dimensions);
            const auto eigen = [&](std::size_t i) {
                const void* codes = stored[i].codes.data();
                return Map(query.data(), size).dot(Map(static_cast<const float*>(codes), size));
            };
            fmt::print("  Eigen {:5.1f}", nanoseconds(kCount, eigen));
        }
        for (const auto level : braid::kInstructionLevels) {
            if (!braid::is_supported(level)) continue;
            const braid::QueryVector prepared(query, level);
            fmt::print("  {} {:5.1f}", braid::to_string(level),
                       nanoseconds(kCount, [&](std::size_t i) { return prepared.dot(stored[i]); }));
        }
        const auto open = [&](std::size_t i) {
            return braid::open_vector(bytes_of(i), dimensions, "slot 5").scale;
        };
        fmt::print("  open_vector {:5.1f}\n", nanoseconds(kCount, open));
    }
}

}  // namespace

void add_products(Program& program) {
    program.add("products",
                "Products of a query's vector with stored ones, beside plain loops and Eigen", [] {
                    for (const std::size_t dimensions : {100U, 400U}) time_kernels(dimensions);
                });
}

}  // namespace braid::bench

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/mixture_kernels.h"

#include <cmath>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

namespace {

using braid::AlignedFloats;
using braid::best_instruction_level;
using braid::InstructionLevel;

constexpr std::size_t kTopics = 48;
constexpr std::size_t kRows = 30;

AlignedFloats random_rows(std::size_t rows, std::uint64_t stream) {
    braid::Random random(braid::test::seed(), stream);
    AlignedFloats result(rows * kTopics);
    for (std::size_t i = 0; i < result.size(); ++i) {
        result.data()[i] = static_cast<float>(random.uniform());
    }
    return result;
}

std::vector<float> copy(const AlignedFloats& floats) {
    return {floats.data(), floats.data() + floats.size()};
}

}  // namespace

TEST_CASE("mixture kernels: attribute and gather as written, the same bits on every set") {
    const AlignedFloats row = random_rows(1, 1);
    const AlignedFloats others = random_rows(kRows, 2);
    for (const std::size_t entries : {0U, 1U, 3U, 4U, 11U, 30U}) {
        std::vector<std::uint32_t> ids;
        std::vector<float> counts;
        std::vector<std::uint64_t> places;
        for (std::size_t i = 0; i < entries; ++i) {
            ids.push_back(static_cast<std::uint32_t>((i * 7) % kRows));
            counts.push_back(static_cast<float>(1 + i % 3));
            places.push_back(entries - 1 - i);
        }
        std::vector<std::vector<float>> results;
        for (const InstructionLevel level : {InstructionLevel::kPlain, best_instruction_level()}) {
            AlignedFloats sums(kTopics);
            AlignedFloats gathered(kTopics);
            std::fill_n(sums.data(), kTopics, 9.0F);
            std::fill_n(gathered.data(), kTopics, 9.0F);
            std::vector<float> ratios(entries);
            const braid::MixtureKernels& kernels = braid::mixture_kernels(level);
            kernels.attribute(kTopics, entries, ids.data(), counts.data(), row.data(),
                              others.data(), ratios.data(), sums.data());
            kernels.gather(kTopics, entries, ids.data(), places.data(), ratios.data(),
                           others.data(), gathered.data());
            std::vector<double> expected_sums(kTopics, 0);
            std::vector<double> expected_gathered(kTopics, 0);
            for (std::size_t i = 0; i < entries; ++i) {
                double dot = 0;
                for (std::size_t z = 0; z < kTopics; ++z) {
                    dot += static_cast<double>(row.data()[z]) * others.data()[ids[i] * kTopics + z];
                }
                CHECK(ratios[i] == Approx(counts[i] / dot).epsilon(1e-5));
                for (std::size_t z = 0; z < kTopics; ++z) {
                    const double x = others.data()[ids[i] * kTopics + z];
                    expected_sums[z] += ratios[i] * x;
                    expected_gathered[z] += ratios[places[i]] * x;
                }
            }
            for (std::size_t z = 0; z < kTopics; ++z) {
                CHECK(sums.data()[z] == Approx(expected_sums[z]).epsilon(1e-5));
                CHECK(gathered.data()[z] == Approx(expected_gathered[z]).epsilon(1e-5));
            }
            results.push_back(ratios);
            results.push_back(copy(sums));
            results.push_back(copy(gathered));
        }
        for (std::size_t i = 0; i < 3; ++i) CHECK(results[i] == results[i + 3]);
    }
}

TEST_CASE("mixture kernels: temper raises to a power, the same bits on every set") {
    braid::Random random(braid::test::seed());
    AlignedFloats factors(kTopics);
    for (std::size_t z = 0; z + 5 < kTopics; ++z) factors.data()[z] = 0.5F;  // 5 are padding.
    for (const float power : {1.0F, 0.9F, 0.5F, 0.1F}) {
        for (int round = 0; round < 200; ++round) {
            AlignedFloats row(kTopics);
            float largest = 0;
            for (std::size_t z = 0; z < kTopics; ++z) {
                // Over fourteen orders of magnitude, so that the floor is reached.
                row.data()[z] = static_cast<float>(std::exp(-32 * random.uniform()));
                if (z + 5 < kTopics) largest = std::max(largest, row.data()[z] / 2);
            }
            AlignedFloats baseline(kTopics);
            AlignedFloats best(kTopics);
            braid::mixture_kernels(InstructionLevel::kPlain)
                .temper(kTopics, row.data(), factors.data(), 1e-12F, power, baseline.data());
            braid::mixture_kernels(best_instruction_level())
                .temper(kTopics, row.data(), factors.data(), 1e-12F, power, best.data());
            REQUIRE(copy(baseline) == copy(best));
            for (std::size_t z = 0; z < kTopics; ++z) {
                const double base =
                    std::max(1e-12, static_cast<double>(row.data()[z]) / 2 / largest);
                const double expected = z + 5 < kTopics ? std::pow(base, power) : 0;
                REQUIRE(best.data()[z] == Approx(expected).epsilon(1e-5));
            }
        }
    }
    AlignedFloats zeros(kTopics);
    AlignedFloats result = random_rows(1, 3);
    braid::mixture_kernels(best_instruction_level())
        .temper(kTopics, zeros.data(), factors.data(), 1e-12F, 0.5F, result.data());
    CHECK(copy(result) == std::vector<float>(kTopics, 0));
}

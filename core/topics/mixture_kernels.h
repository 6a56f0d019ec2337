// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loops of expectation maximisation for pLSI.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/simd.h"
#include "braid/error.h"

namespace braid {

/// Rows of topics are padded with 0 to a multiple of this many floats and aligned to 64 bytes.
inline constexpr std::size_t kTopicBlock = 16;

/// A sum along a row is kept in kTopicBlock lanes, which are added in a fixed order at the end, so
/// every instruction set gives the same bits. `topics` is the padded length.
struct MixtureKernels {
    /// For each entry i: ratios[i] = counts[i] / (row . others[ids[i]]); overwrites sums with the
    /// sum of ratios[i] * others[ids[i]].
    void (*attribute)(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                      const float* counts, const float* row, const float* others, float* ratios,
                      float* sums);

    /// Overwrites sums with the sum of ratios[places[i]] * others[ids[i]].
    void (*gather)(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                   const std::uint64_t* places, const float* ratios, const float* others,
                   float* sums);

    /// out = (max(row * factors / largest, floor)) ^ power, where largest is the largest row *
    /// factor; relative error about 1e-6. Padding stays 0. A row of zeros gives zeros.
    void (*temper)(std::size_t topics, const float* row, const float* factors, float floor,
                   float power, float* out);
};

const MixtureKernels& mixture_kernels(InstructionLevel level);

}  // namespace braid

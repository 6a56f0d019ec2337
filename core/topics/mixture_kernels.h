// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loops of expectation maximisation for pLSI; not installed.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/export.h"
#include "braid/core/base/simd.h"

namespace braid {

/// Rows of topics have a multiple of this many floats, padded with 0, at a multiple of 64 bytes.
inline constexpr std::size_t kTopicBlock = 16;

/// Sums along a row are kept in kTopicBlock places, added in one fixed order at the end, whatever
/// the instruction set: the same bits on all of them. `topics` is the padded length.
struct MixtureKernels {
    /// For each entry i: ratios[i] = counts[i] / (row . others[ids[i]]); and sums, which is
    /// overwritten, = sum of ratios[i] * others[ids[i]].
    void (*attribute)(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                      const float* counts, const float* row, const float* others, float* ratios,
                      float* sums);

    /// sums, which is overwritten, = sum of ratios[places[i]] * others[ids[i]].
    void (*gather)(std::size_t topics, std::size_t entries, const std::uint32_t* ids,
                   const std::uint64_t* places, const float* ratios, const float* others,
                   float* sums);

    /// out = (max(row * factors / largest, floor)) ^ power, with largest the largest row * factor
    /// and a relative error of about 1e-6; padding stays 0. A row of zeros gives zeros.
    void (*temper)(std::size_t topics, const float* row, const float* factors, float floor,
                   float power, float* out);
};

BRAID_API const MixtureKernels& mixture_kernels(InstructionLevel level);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loops of the truncated SVD; not installed.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/lanes.h"

namespace braid {

/// Columns are handled this many at a time: a row of a panel is one cache line, which is what a
/// sparse product gathers for each entry.
inline constexpr std::size_t kPanelWidth = 16;

/// A panel is rows x kPanelWidth floats, row by row, at a multiple of 64 bytes. Every kernel
/// makes each number of its result from the same operands in the same order whatever the
/// instruction set, since vectors run across a panel's columns and never along a sum; products
/// and sums are rounded apart. So all sets give the same bits.
struct PanelKernels {
    /// out[r] = sum of values[i] * in[columns[i]] over begin[r] <= i < begin[r + 1], for `rows`
    /// rows. Even and odd places are summed apart, which halves the wait for each addition.
    void (*multiply_sparse)(std::size_t rows, const std::uint64_t* begin,
                            const std::uint32_t* columns, const float* values, const float* in,
                            float* out);

    /// out (kPanelWidth x kPanelWidth) += left' right, over `rows` rows.
    void (*inner)(std::size_t rows, const float* left, const float* right, float* out);

    /// out += in * factor, with factor kPanelWidth x kPanelWidth, row by row.
    void (*accumulate)(std::size_t rows, const float* in, const float* factor, float* out);
};

const PanelKernels& panel_kernels(InstructionSet set);

}  // namespace braid

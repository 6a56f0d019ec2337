// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loops of QueryVector; not installed.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/simd.h"

namespace braid {

/// Components are taken this many at a time.
inline constexpr std::size_t kDotBlock = 32;

/// Where the blocks of a stored vector lie: `full` of them one after the other from component 0,
/// then one more from component `last`, which may overlap the one before. So nothing beyond a
/// vector's end is read, and no loop runs over single components.
struct DotShape {
    std::size_t full = 0;
    std::size_t last = 0;
};

/// Each takes full + 1 blocks of a query and the codes of a stored vector at any address. The
/// query's last block is 0 where it overlaps.
///
/// Every level gives the same bits. Whole numbers are added exactly, and the query's are small
/// enough that no sum leaves 32 bits. Floats are added in kDotBlock lanes, component i of a block
/// into lane i, one block after the other, products and sums rounded apart; then lanes i and
/// i + 16 are added, i and i + 8, and so on down to one.
struct DotKernels {
    std::int32_t (*signed8)(const std::int16_t* query, const char* codes, DotShape shape);
    std::int32_t (*unsigned8)(const std::int16_t* query, const char* codes, DotShape shape);
    float (*float16)(const float* query, const char* codes, DotShape shape);
    float (*float32)(const float* query, const char* codes, DotShape shape);
};

/// `level` must be supported.
const DotKernels& dot_kernels(InstructionLevel level);

#ifdef __x86_64__
extern const DotKernels kSse41DotKernels;
extern const DotKernels kAvx2DotKernels;
extern const DotKernels kAvx512DotKernels;
#endif

}  // namespace braid

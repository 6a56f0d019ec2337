// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loops of QueryVector.

#include <cstddef>
#include <cstdint>

#include "braid/core/base/simd.h"

namespace braid {

/// Number of components processed together.
inline constexpr std::size_t kDotBlock = 32;

/// The blocks of a stored vector: `full` of them one after the other from component 0, then one
/// from component `last`, which may overlap the previous one. So the loops never read beyond a
/// vector's end and never handle single components.
struct DotShape {
    std::size_t full = 0;
    std::size_t last = 0;
};

/// Each takes full + 1 blocks of a query and the codes of a stored vector at any address. The
/// query's last block is 0 in the overlap.
///
/// Every level gives the same bits. Integer sums are exact; the query's integers are small enough
/// that no sum exceeds 32 bits. Floats are added in kDotBlock lanes, component i of a block into
/// lane i, one block after the other, with products and sums rounded separately; then lanes i and i
/// + 16 are added, i and i + 8, and so on down to one.
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

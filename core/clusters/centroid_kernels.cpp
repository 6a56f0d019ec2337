// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/clusters/centroid_kernels.h"

namespace braid {
namespace {

/// `rows` vectors at a time: what the registers of the instruction set hold.
template <typename V, std::size_t rows>
BRAID_INLINE void multiply(std::size_t dimensions, const float* const* vectors, const float* panel,
                           float* dots) {
    const std::size_t lanes = kLanes<V>;
    const std::size_t width = kCentroidPanel / lanes;
    V sum[rows][width] = {};
    for (std::size_t i = 0; i < dimensions; ++i) {
        V centroid[width];
#pragma GCC unroll 4
        for (std::size_t c = 0; c < width; ++c) {
            load(centroid[c], panel + i * kCentroidPanel + c * lanes);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
            for (std::size_t c = 0; c < width; ++c) sum[r][c] += centroid[c] * vectors[r][i];
        }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < width; ++c) {
            store(dots + r * kCentroidPanel + c * lanes, sum[r][c]);
        }
    }
}

void multiply_baseline(std::size_t dimensions, const float* const* vectors, const float* panel,
                       float* dots) {
    multiply<FourLanes, 2>(dimensions, vectors, panel, dots);
    multiply<FourLanes, 2>(dimensions, vectors + 2, panel, dots + 2 * kCentroidPanel);
}

BRAID_AVX2 void multiply_avx2(std::size_t dimensions, const float* const* vectors,
                              const float* panel, float* dots) {
    multiply<EightLanes, kVectorTile>(dimensions, vectors, panel, dots);
}

}  // namespace

CentroidKernel centroid_kernel(InstructionSet set) {
    return use_avx2(set) ? multiply_avx2 : multiply_baseline;
}

}  // namespace braid

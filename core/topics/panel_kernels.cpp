// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/panel_kernels.h"

namespace braid {
namespace {

template <typename V>
inline constexpr std::size_t kVectors = kPanelWidth * sizeof(float) / sizeof(V);

/// Rows (or left-hand columns) that go through the registers together.
template <typename V>
inline constexpr std::size_t kTile = sizeof(V) == sizeof(EightLanes) ? 4 : 2;

template <typename V>
BRAID_INLINE void multiply_sparse(std::size_t rows, const std::uint64_t* begin,
                                  const std::uint32_t* columns, const float* values,
                                  const float* in, float* out) {
    const std::size_t lanes = kLanes<V>;
    for (std::size_t r = 0; r < rows; ++r) {
        V even[kVectors<V>] = {};
        V odd[kVectors<V>] = {};
        std::uint64_t i = begin[r];
        for (; i + 1 < begin[r + 1]; i += 2) {
            const float* a = in + columns[i] * kPanelWidth;
            const float* b = in + columns[i + 1] * kPanelWidth;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors<V>; ++v) {
                V x;
                V y;
                load(x, a + v * lanes);
                load(y, b + v * lanes);
                even[v] += x * values[i];
                odd[v] += y * values[i + 1];
            }
        }
        if (i < begin[r + 1]) {
            const float* a = in + columns[i] * kPanelWidth;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors<V>; ++v) {
                V x;
                load(x, a + v * lanes);
                even[v] += x * values[i];
            }
        }
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) {
            store(out + r * kPanelWidth + v * lanes, V(even[v] + odd[v]));
        }
    }
}

template <typename V>
BRAID_INLINE void inner(std::size_t rows, const float* left, const float* right, float* out) {
    const std::size_t lanes = kLanes<V>;
    const std::size_t tile = kTile<V>;
    for (std::size_t i = 0; i < kPanelWidth; i += tile) {
        V sum[tile][kVectors<V>] = {};
        for (std::size_t r = 0; r < rows; ++r) {
            V y[kVectors<V>];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors<V>; ++v) {
                load(y[v], right + r * kPanelWidth + v * lanes);
            }
#pragma GCC unroll 4
            for (std::size_t t = 0; t < tile; ++t) {
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors<V>; ++v) {
                    sum[t][v] += y[v] * left[r * kPanelWidth + i + t];
                }
            }
        }
        for (std::size_t t = 0; t < tile; ++t) {
            for (std::size_t v = 0; v < kVectors<V>; ++v) {
                float* to = out + (i + t) * kPanelWidth + v * lanes;
                V old;
                load(old, to);
                store(to, V(old + sum[t][v]));
            }
        }
    }
}

/// `tile` rows of accumulate().
template <typename V, std::size_t tile>
BRAID_INLINE void accumulate_rows(const float* in, const float* factor, float* out) {
    const std::size_t lanes = kLanes<V>;
    V sum[tile][kVectors<V>];
#pragma GCC unroll 4
    for (std::size_t t = 0; t < tile; ++t) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) {
            load(sum[t][v], out + t * kPanelWidth + v * lanes);
        }
    }
    for (std::size_t i = 0; i < kPanelWidth; ++i) {
        V y[kVectors<V>];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) {
            load(y[v], factor + i * kPanelWidth + v * lanes);
        }
#pragma GCC unroll 4
        for (std::size_t t = 0; t < tile; ++t) {
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors<V>; ++v) {
                sum[t][v] += y[v] * in[t * kPanelWidth + i];
            }
        }
    }
#pragma GCC unroll 4
    for (std::size_t t = 0; t < tile; ++t) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) {
            store(out + t * kPanelWidth + v * lanes, sum[t][v]);
        }
    }
}

template <typename V>
BRAID_INLINE void accumulate(std::size_t rows, const float* in, const float* factor, float* out) {
    const std::size_t tile = kTile<V>;
    std::size_t r = 0;
    for (; r + tile <= rows; r += tile) {
        accumulate_rows<V, tile>(in + r * kPanelWidth, factor, out + r * kPanelWidth);
    }
    for (; r < rows; ++r) {
        accumulate_rows<V, 1>(in + r * kPanelWidth, factor, out + r * kPanelWidth);
    }
}

#define BRAID_PANEL_KERNELS(attributes, V)                                             \
    {                                                                                  \
        [](std::size_t rows, const std::uint64_t* begin, const std::uint32_t* columns, \
           const float* values, const float* in, float* out)                           \
            attributes { multiply_sparse<V>(rows, begin, columns, values, in, out); }, \
            [](std::size_t rows, const float* left, const float* right, float* out)    \
                attributes { inner<V>(rows, left, right, out); },                      \
            [](std::size_t rows, const float* in, const float* factor, float* out)     \
                attributes { accumulate<V>(rows, in, factor, out); }                   \
    }

constexpr PanelKernels kBaselineKernels = BRAID_PANEL_KERNELS(, FourLanes);
constexpr PanelKernels kAvx2Kernels = BRAID_PANEL_KERNELS(BRAID_AVX2, EightLanes);

}  // namespace

const PanelKernels& panel_kernels(InstructionSet set) {
    return use_avx2(set) ? kAvx2Kernels : kBaselineKernels;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/panel_matrix.h"

#include <algorithm>

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

/// Adds a row of a panel to each of `tile` sums, times factors that lie `stride` apart.
template <typename V, std::size_t tile>
BRAID_INLINE void add_products(const float* row, const float* factors, std::size_t stride,
                               V (&sum)[tile][kVectors<V>]) {
    V y[kVectors<V>];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors<V>; ++v) load(y[v], row + v * kLanes<V>);
#pragma GCC unroll 4
    for (std::size_t t = 0; t < tile; ++t) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors<V>; ++v) sum[t][v] += y[v] * factors[t * stride];
    }
}

template <typename V>
BRAID_INLINE void inner(std::size_t rows, const float* left, const float* right, float* out) {
    const std::size_t lanes = kLanes<V>;
    const std::size_t tile = kTile<V>;
    for (std::size_t i = 0; i < kPanelWidth; i += tile) {
        V sum[tile][kVectors<V>] = {};
        for (std::size_t r = 0; r < rows; ++r) {
            add_products<V, tile>(right + r * kPanelWidth, left + r * kPanelWidth + i, 1, sum);
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
        add_products<V, tile>(factor + i * kPanelWidth, in + i, kPanelWidth, sum);
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

// NOLINTBEGIN(bugprone-macro-parentheses): attributes can have none.
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
// NOLINTEND(bugprone-macro-parentheses)

constexpr PanelKernels kBaselineKernels = BRAID_PANEL_KERNELS(, FourLanes);
constexpr PanelKernels kAvx2Kernels = BRAID_PANEL_KERNELS(BRAID_AVX2, EightLanes);

}  // namespace

const PanelKernels& panel_kernels(InstructionLevel level) {
    return has_avx2(level) ? kAvx2Kernels : kBaselineKernels;
}

namespace {

constexpr std::size_t kSquare = kPanelWidth * kPanelWidth;
constexpr std::size_t kRowsPerChunk = 2048;
// What of two panels fits in the first-level cache together.
constexpr std::size_t kRowsPerTile = 256;

std::size_t chunk_count(std::size_t rows) { return (rows + kRowsPerChunk - 1) / kRowsPerChunk; }

/// Calls work(first row, number of rows) for the tiles of one chunk, in order.
template <typename Work>
void for_tiles(std::size_t rows, std::size_t chunk, const Work& work) {
    const std::size_t end = std::min(rows, (chunk + 1) * kRowsPerChunk);
    for (std::size_t r = chunk * kRowsPerChunk; r < end; r += kRowsPerTile) {
        work(r, std::min(kRowsPerTile, end - r));
    }
}

std::vector<float> in_single_precision(const std::vector<PanelSquare>& squares) {
    std::vector<float> result;
    result.reserve(squares.size() * kSquare);
    for (const PanelSquare& square : squares) {
        for (const double x : square) result.push_back(static_cast<float>(x));
    }
    return result;
}

}  // namespace

void PanelAlgebra::multiply(const SparseRows& matrix, const Panel& in, Panel& out) const {
    executor_.run(matrix.chunk_count(), [&](std::size_t chunk) {
        const std::size_t first = matrix.chunks[chunk];
        kernels_.multiply_sparse(matrix.chunks[chunk + 1] - first, matrix.begin.data() + first,
                                 matrix.columns.data(), matrix.values.data(), in.data(),
                                 out.row(first));
    });
}

std::vector<PanelSquare> PanelAlgebra::inner(const std::vector<const Panel*>& left,
                                             const Panel& right) const {
    const std::size_t chunks = chunk_count(right.rows());
    std::vector<float> partial(chunks * left.size() * kSquare, 0.0F);
    executor_.run(chunks, [&](std::size_t chunk) {
        float* sums = partial.data() + chunk * left.size() * kSquare;
        for_tiles(right.rows(), chunk, [&](std::size_t first, std::size_t rows) {
            for (std::size_t i = 0; i < left.size(); ++i) {
                kernels_.inner(rows, left[i]->row(first), right.row(first), sums + i * kSquare);
            }
        });
    });
    std::vector<PanelSquare> result(left.size(), PanelSquare{});
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const float* sums = partial.data() + chunk * left.size() * kSquare;
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < kSquare; ++j) result[i][j] += sums[i * kSquare + j];
        }
    }
    return result;
}

void PanelAlgebra::accumulate(const std::vector<const Panel*>& in,
                              const std::vector<PanelSquare>& factors, Panel& out) const {
    const std::vector<float> squares = in_single_precision(factors);
    executor_.run(chunk_count(out.rows()), [&](std::size_t chunk) {
        for_tiles(out.rows(), chunk, [&](std::size_t first, std::size_t rows) {
            for (std::size_t i = 0; i < in.size(); ++i) {
                kernels_.accumulate(rows, in[i]->row(first), squares.data() + i * kSquare,
                                    out.row(first));
            }
        });
    });
}

void PanelAlgebra::transform(const PanelSquare& factor, Panel& panel) const {
    const std::vector<float> square = in_single_precision({factor});
    executor_.run(chunk_count(panel.rows()), [&](std::size_t chunk) {
        Panel copy(kRowsPerTile);
        for_tiles(panel.rows(), chunk, [&](std::size_t first, std::size_t rows) {
            std::copy_n(panel.row(first), rows * kPanelWidth, copy.data());
            std::fill_n(panel.row(first), rows * kPanelWidth, 0.0F);
            kernels_.accumulate(rows, copy.data(), square.data(), panel.row(first));
        });
    });
}

}  // namespace braid

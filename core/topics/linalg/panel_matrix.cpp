// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/panel_matrix.h"

#include <algorithm>

namespace braid {
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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/simd.h"
#include "braid/core/topics/linalg/sparse_matrix.h"
#include "braid/progress.h"

namespace braid {

// The inner loops of the truncated SVD.

/// Number of columns processed together: a row of a panel is one cache line, which a sparse product
/// gathers for each entry.
inline constexpr std::size_t kPanelWidth = 16;

/// A panel is rows x kPanelWidth floats, row by row, aligned to 64 bytes. Vectors run across a
/// panel's columns and never along a sum, and products and sums are rounded separately. So every
/// instruction set computes each number from the same operands in the same order, and gives the
/// same bits.
struct PanelKernels {
    /// out[r] = sum of values[i] * in[columns[i]] over begin[r] <= i < begin[r + 1], for `rows`
    /// rows. Even and odd places are summed separately, which halves the latency of additions.
    void (*multiply_sparse)(std::size_t rows, const std::uint64_t* begin,
                            const std::uint32_t* columns, const float* values, const float* in,
                            float* out);

    /// out (kPanelWidth x kPanelWidth) += left' right, over `rows` rows.
    void (*inner)(std::size_t rows, const float* left, const float* right, float* out);

    /// out += in * factor, with factor kPanelWidth x kPanelWidth, row by row.
    void (*accumulate)(std::size_t rows, const float* in, const float* factor, float* out);
};

const PanelKernels& panel_kernels(InstructionLevel level);

// Tall matrices in panels of kPanelWidth columns, with the operations of the truncated SVD.

/// A kPanelWidth x kPanelWidth matrix, row by row.
using PanelSquare = std::array<double, kPanelWidth * kPanelWidth>;

/// One panel, initially zero; movable. A row is one cache line.
class Panel {
  public:
    explicit Panel(std::size_t rows) : rows_(rows), values_(rows * kPanelWidth) {}

    std::size_t rows() const { return rows_; }
    float* row(std::size_t r) { return data() + r * kPanelWidth; }
    const float* row(std::size_t r) const { return data() + r * kPanelWidth; }
    float* data() { return values_.data(); }
    const float* data() const { return values_.data(); }

  private:
    std::size_t rows_;
    AlignedFloats values_;
};

/// Runs the kernels over whole panels: rows in fixed chunks; sums are in single precision within a
/// chunk and in double across chunks, in chunk order.
class PanelAlgebra {
  public:
    /// Borrows both, which must outlive it.
    PanelAlgebra(Executor& executor, const PanelKernels& kernels)
        : executor_(executor), kernels_(kernels) {}

    /// out <- matrix * in
    void multiply(const SparseRows& matrix, const Panel& in, Panel& out) const;

    /// left' right for each left; all of one height.
    std::vector<PanelSquare> inner(const std::vector<const Panel*>& left, const Panel& right) const;

    /// out <- out + sum of in[i] * factors[i]
    void accumulate(const std::vector<const Panel*>& in, const std::vector<PanelSquare>& factors,
                    Panel& out) const;

    /// panel <- panel * factor
    void transform(const PanelSquare& factor, Panel& panel) const;

  private:
    Executor& executor_;
    const PanelKernels& kernels_;
};

}  // namespace braid

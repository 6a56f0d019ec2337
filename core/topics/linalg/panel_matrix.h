// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Tall matrices in panels of kPanelWidth columns, and what the truncated SVD does with them; not
// installed.

#include <array>
#include <cstddef>
#include <vector>

#include "braid/core/base/aligned_floats.h"
#include "braid/core/base/executor.h"
#include "braid/core/topics/linalg/panel_kernels.h"
#include "braid/core/topics/linalg/sparse_matrix.h"

namespace braid {

/// A square of kPanelWidth numbers a side, row by row.
using PanelSquare = std::array<double, kPanelWidth * kPanelWidth>;

/// One panel of zeros at first; movable. A row is one cache line.
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

/// Runs the kernels over whole panels: rows in fixed chunks, sums in single precision within a
/// chunk and in double between them, in chunk order.
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

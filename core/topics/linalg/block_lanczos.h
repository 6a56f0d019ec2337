// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/topics/linalg/band_eigen.h"
#include "braid/core/topics/linalg/panel_matrix.h"
#include "braid/core/topics/linalg/sparse_matrix.h"

namespace braid {

/// Block Lanczos on the Gram matrix of a sparse matrix A, on its shorter side: G = A'A if A has no
/// more terms than documents, else AA'. Builds, block by block, an orthonormal basis Q of the space
/// spanned by X, GX, GGX, ... from a random block X, and T = Q'GQ, which is block tridiagonal:
/// docs/algorithms/lsa.md (5). Every block is orthogonalised against the whole basis, so no ghost
/// values appear.
class BlockLanczos {
  public:
    /// Borrows its arguments. Costs one sparse product.
    BlockLanczos(const SparseMatrix& matrix, Executor& executor, const PanelKernels& kernels,
                 std::uint64_t seed);

    /// Adds a block: two sparse products and 4 n d kPanelWidth operations, for n rows and a basis
    /// of dimension d. Returns false if the space has no room for it.
    bool expand();

    bool by_term() const { return by_term_; }
    std::size_t rows() const { return rows_; }
    /// Number of columns of Q and rows of T.
    std::size_t dimension() const { return alpha_.size() * kPanelWidth; }
    SymmetricBand projected() const;
    /// GQ = QT + Q_next `coupling` E', with E the last kPanelWidth columns of the identity.
    const PanelSquare& coupling() const { return beta_.back(); }
    /// Q in panels; borrowed until expand().
    std::vector<const Panel*> basis() const;

  private:
    using Alive = std::array<bool, kPanelWidth>;

    void apply(const Panel& in, Panel& out);
    PanelSquare orthonormalise(Panel& panel, double floor, Alive& alive) const;
    void project_out(const std::vector<const Panel*>& basis, Panel& panel) const;
    void refill(Panel& panel, const Alive& alive);
    std::vector<const Panel*> all_panels() const;

    PanelAlgebra algebra_;
    bool by_term_;
    const SparseRows& outward_;  // From the shorter side to the longer one, and back.
    const SparseRows& homeward_;
    std::size_t rows_;
    Random random_;
    double scale_ = 0;  // The largest |Gx| of a unit vector x so far.
    Panel middle_;
    std::vector<Panel> panels_;  // The last is not yet multiplied by G.
    std::vector<PanelSquare> alpha_;
    std::vector<PanelSquare> beta_;
};

}  // namespace braid

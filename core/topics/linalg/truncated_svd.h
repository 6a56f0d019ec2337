// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The largest singular values and vectors of a sparse matrix.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/random.h"
#include "braid/core/topics/linalg/panel_matrix.h"
#include "braid/core/topics/linalg/sparse_matrix.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

struct SvdOptions {
    std::size_t rank = 100;
    std::uint64_t seed = kDefaultSeed;
    /// Stops when the estimated missing share of the exact energy (sum of the first `rank` squared
    /// singular values) is at most this.
    double tolerance = 5e-4;
    /// Largest basis, in multiples of the rank (and 32 panels); the result is then the best so far.
    std::size_t basis_limit = 10;
    InstructionLevel instruction_level = best_instruction_level();
};

/// A ~ left * right' with left = U S: docs/algorithms/lsa.md (4).
struct TruncatedSvd {
    /// Descending; fewer than `rank` if the matrix has a lower rank.
    std::vector<double> singular_values;
    FloatMatrix right;        ///< V: a row per term, orthonormal columns.
    FloatMatrix left_scaled;  ///< A V: a row per document.
    std::size_t basis = 0;    ///< Dimension of the Krylov space; 0: solved densely.
    double missing = 0;       ///< The estimate that `tolerance` bounds.
    double residual = 0;      ///< The largest |A'u - s v| / s.
    bool converged = true;
    std::vector<double> trace;  ///< `missing` at every test.
};

/// Calls `step(basis, missing)` after every block (missing < 0: not tested); it may throw.
/// Deterministic for a seed; bit-equal at any number of threads and on every instruction set. The
/// matrix must have at least one entry.
TruncatedSvd truncated_svd(const SparseMatrix& matrix, const SvdOptions& options,
                           Executor& executor,
                           const std::function<void(std::size_t, double)>& step);

}  // namespace braid

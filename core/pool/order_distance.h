// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// How far the order of one ranker is from the grades of a query, as matrices; not installed.
// docs/algorithms/ser.md (11) to (13).

#include <span>

#include "braid/core/base/export.h"
#include "braid/core/pool/grade_agreement.h"

namespace braid {

/// d(A, R) of the grades' matrix (1) and the order's (3).
enum class MatrixDistance {
    kColumnNorm,    ///< The induced 1-norm of A - R: its largest column, in magnitudes.
    kSpectralNorm,  ///< The induced 2-norm: its largest singular value.
    kFrobenius,     ///< The Bregman divergence of |X|^2 / 2: half the squares of A - R.
};

/// Documents of a query at most, since the matrices are documents x documents.
inline constexpr std::size_t kMostMatrixDocuments = 2000;

/// O(documents^2), the spectral norm O(documents^3). Grades as grade_agreement takes them. Throws
/// InvalidArgument for more than kMostMatrixDocuments documents.
BRAID_API double order_distance(std::span<const double> scores, std::span<const Grade> grades,
                                const AgreementOptions& options, MatrixDistance distance);

/// (13): what a query's rankers have for b, by their distances.
BRAID_API void similarities(std::span<double> distances, double lambda);

}  // namespace braid

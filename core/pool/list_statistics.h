// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/measure.h"
#include "braid/core/pool/training_set.h"

namespace braid {

// How well the order of one ranker fits the grades of a query. docs/algorithms/ser.md (1) to (4).

struct AgreementOptions {
    double theta = 0.5;         ///< What a pair counts whose grades are neighbours.
    double delta = 1;           ///< Smooths the columns.
    bool lower_pairs = true;    ///< Whether pairs without the best grade count.
    bool ties_are_half = true;  ///< Whether equal scores are half a place before each other.
    Grade highest_grade = 1;    ///< The top of the scale.
};

/// What a pair counts whose first document has the better grade; (1).
BRAID_API double pair_weight(Grade better, Grade worse, const AgreementOptions& options);

/// tr(A' R) of (3): O(documents (log documents + grades)), without any matrix. Unjudged documents
/// are of grade 0, grades above the highest count as it.
BRAID_API double grade_agreement(std::span<const double> scores, std::span<const Grade> grades,
                                 const AgreementOptions& options);

/// What a query's result lists look like, without judgements: docs/algorithms/list-loss.md
/// section 4 has the formulas. A model that reads them needs the lists before it has weights: a
/// first pass.
BRAID_API const std::vector<std::string>& list_statistic_names();

/// One query's, in the order of the names; finite. O(documents rankers^2).
BRAID_API std::vector<double> list_statistics(const TrainingSet& set, std::size_t query);

/// Appends them to the set's query features. Throws InvalidArgument where it has them already.
BRAID_API void add_list_statistics(TrainingSet& set);

// How far the order of one ranker is from the grades of a query, as matrices.
// docs/algorithms/ser.md (11) to (13).

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

// Where some documents stand in a ranking that is never made.

/// `places[i]` becomes the number of documents before `documents[i]` when all are ordered by
/// score, the greatest first, and equal scores by `ties`, the least first. O(n log P) for P
/// documents of n. Scores aren't NaN.
BRAID_API void places_of(std::span<const std::uint32_t> documents, std::span<const double> scores,
                         std::span<const std::uint32_t> ties, std::span<std::uint32_t> places);

}  // namespace braid

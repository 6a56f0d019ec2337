// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/eval/measure.h"
#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

// Agreement of a ranker's order with the grades of a query. docs/algorithms/ser.md (1) to (4).

struct AgreementOptions {
    double theta = 0.5;         ///< Weight of a pair of adjacent grades.
    double delta = 1;           ///< Smooths the columns.
    bool lower_pairs = true;    ///< Counts pairs without the best grade.
    bool ties_are_half = true;  ///< Equal scores count as half before each other.
    Grade highest_grade = 1;    ///< The top of the scale.
};

/// The weight of a pair whose first document has the better grade; (1).
double pair_weight(Grade better, Grade worse, const AgreementOptions& options);

/// tr(A' R) of (3), without forming a matrix: O(documents (log documents + grades)). Unjudged
/// documents have grade 0; grades above the highest count as the highest.
double grade_agreement(std::span<const double> scores, std::span<const Grade> grades,
                       const AgreementOptions& options);

/// Names of the statistics of a query's result lists, computed without judgements:
/// docs/algorithms/list-loss.md section 4 has the formulas. A model that reads them needs the lists
/// before it has weights: a first pass.
BRAID_API const std::vector<std::string>& list_statistic_names();

/// The statistics of one query, in the order of the names; finite. O(documents rankers^2).
BRAID_API std::vector<double> list_statistics(const TrainingSet& set, std::size_t query);

/// Appends the statistics to the set's query features. Throws InvalidArgument if the set has them.
void add_list_statistics(TrainingSet& set);

// Distance of a ranker's order from the grades of a query, as matrices. docs/algorithms/ser.md (11)
// to (13).

/// d(A, R) of the matrices of the grades (1) and of the order (3).
enum class MatrixDistance {
    kColumnNorm,    ///< The induced 1-norm of A - R: its largest column sum of magnitudes.
    kSpectralNorm,  ///< The induced 2-norm: its largest singular value.
    kFrobenius,     ///< The Bregman divergence of |X|^2 / 2: half the squares of A - R.
};

/// Maximum number of documents of a query: the matrices are documents x documents.
inline constexpr std::size_t kMostMatrixDocuments = 2000;

/// O(documents^2), for the spectral norm O(documents^3). Treats grades as grade_agreement does.
/// Throws InvalidArgument for more than kMostMatrixDocuments documents.
double order_distance(std::span<const double> scores, std::span<const Grade> grades,
                      const AgreementOptions& options, MatrixDistance distance);

/// (13): replaces the distances of a query's rankers by their b.
void similarities(std::span<double> distances, double lambda);

// Ranks of some documents, without sorting all.

/// Sets `places[i]` to the number of documents before `documents[i]` when all are ordered by
/// descending score, and equal scores by ascending `ties`. O(n log P) for P documents of n. Scores
/// must not be NaN.
void places_of(std::span<const std::uint32_t> documents, std::span<const double> scores,
               std::span<const std::uint32_t> ties, std::span<std::uint32_t> places);

}  // namespace braid

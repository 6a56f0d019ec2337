// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// How well the order of one ranker fits the grades of a query; not installed.
// docs/algorithms/ser.md (1) to (4).

#include <span>

#include "braid/core/base/export.h"
#include "braid/core/eval/judged_pool.h"

namespace braid {

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

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/registry.h"
#include "braid/core/pool/normalisation.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// How the scores of one ranker for one query become comparable with those of others;
/// docs/algorithms/normalisers.md has the formulas, numbered, and what each does where all scores
/// are equal. Only one of positions reverses two documents; all map finite scores to finite ones.
struct NormaliserInfo {
    std::string name;     ///< "min-max"
    std::string summary;  ///< One line with the formula.
    std::vector<ParameterInfo> parameters;
    /// Whether one score can be normalised without the others of the query, as serving in a
    /// single pass needs.
    bool per_document = false;
    bool needs_bounds = false;  ///< Whether it divides by TrainingSet::bounds.

    /// Maps the finite `scores` of a pool in place; `bound` is the ranker's for the query, or 0.
    /// `parameters` holds a value for each of the info's, in their order.
    std::function<void(std::span<double> scores, double bound, std::span<const double> parameters)>
        normalise;

    /// Whether it takes positions in lists, from 1 up and the smaller the better, and 0 for a
    /// document that the list lacks.
    bool of_positions = false;
};

/// Every normaliser there is. A new one is a line in core/pool/normalisers.cpp.
BRAID_API const Registry<NormaliserInfo>& normalisers();

/// Normalises every ranker of every query in place; statistics of a pool come from the scores
/// that are not missing. Throws UnknownComponent, or InvalidArgument for parameters out of range,
/// an infinite score, a missing one that is refused, `bound` on a set without bounds or with
/// a score above its bound, and `position` of a number that is none.
BRAID_API void normalise(TrainingSet& set, const Normalisation& how);

/// As above, with one entry a ranker.
BRAID_API void normalise(TrainingSet& set, std::span<const Normalisation> how);

/// Whether the columns look like positions in lists, not scores: every present value is a whole
/// number from 1 up, no list of a query has one twice, and small ones are good, for the relevant
/// documents stand before the others on average in more lists than not. NaN: the list lacks the
/// document. O(scores log pool).
BRAID_API bool looks_like_positions(const TrainingSet& set, Grade relevant_from = 1);

}  // namespace braid

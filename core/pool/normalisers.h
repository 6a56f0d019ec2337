// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"
#include "braid/training_set.h"

namespace braid {

/// Makes the scores of one ranker for one query comparable with others'.
/// docs/algorithms/normalisers.md numbers the formulas and defines the case of equal scores. All
/// map finite scores to finite ones; only those of positions may reverse two documents.
struct NormaliserInfo {
    std::string name;     ///< "min-max"
    std::string summary;  ///< One line with the formula.
    std::vector<ParameterInfo> parameters;
    /// One score can be normalised without the query's others, as serving in a single pass
    /// requires.
    bool per_document = false;
    bool needs_bounds = false;  ///< Divides by TrainingSet::bounds.

    /// Maps the finite `scores` of a pool in place. `bound` is the ranker's for the query, or 0.
    /// `parameters` holds the values of the info's parameters, in their order.
    std::function<void(std::span<double> scores, double bound, std::span<const double> parameters)>
        normalise;

    /// Takes positions in lists: from 1 up, smaller is better, 0 for a document that the list
    /// lacks.
    bool of_positions = false;
};

/// All normalisers. A new one is a line in core/pool/normalisers.cpp.
BRAID_API const Registry<NormaliserInfo>& normalisers();

/// Normalises every ranker of every query in place. A pool's statistics use the scores that are not
/// missing. Throws UnknownComponent, or InvalidArgument for a parameter out of range, an infinite
/// score, a refused missing score, `bound` on a set without bounds or with a score above its bound,
/// and `position` on a number that is not a position.
BRAID_API void normalise(TrainingSet& set, const Normalisation& how);

/// As above, with one entry a ranker.
BRAID_API void normalise(TrainingSet& set, std::span<const Normalisation> how);

/// Whether the columns look like positions in lists, not scores: every present value is a whole
/// number >= 1, no list of a query repeats one, and small ones are good: in most lists, relevant
/// documents stand before others on average. NaN: the list lacks the document. O(scores log pool).
bool looks_like_positions(const TrainingSet& set, Grade relevant_from = 1);

}  // namespace braid

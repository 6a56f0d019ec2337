// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// Weights that follow from the candidates of a query: documents that are alike shall have like
/// scores; docs/algorithms/ser.md section 3. Plain numbers.
struct SemiSupervisedFunction {
    std::vector<double> base;     ///< The weights without candidates, of gamma 0; sum 1.
    std::vector<double> margins;  ///< b: one row of a number a ranker for each training query.
    std::vector<double> alpha;    ///< The dual solution of `base`, which a query starts from.
    std::vector<double> eta;
    double cost = 1;  ///< C
    double gamma = 0.5;
    std::size_t neighbours = 5;
    /// Whether neighbours are looked for among the documents' places (TrainingSet::places), not
    /// among their scores.
    bool by_places = false;

    bool operator==(const SemiSupervisedFunction&) const = default;
};

/// The weights for a pool of documents; their magnitudes sum to 1. `rows`: documents x rankers.
/// `features`: documents x any, where neighbours are looked for; empty: among `rows`. A document
/// whose features are all zero lies nowhere and has no neighbour.
/// O(documents^2 width + rankers^3) and the program of (10). Throws InvalidArgument where sizes
/// don't fit or a number is not finite.
BRAID_API std::vector<double> semi_supervised_weights(const SemiSupervisedFunction& function,
                                                      std::span<const double> rows,
                                                      std::span<const float> features = {});

/// G' L G of (9), rankers x rankers row by row: what w' (G' L G) w measures is how much scores
/// differ between neighbours.
BRAID_API std::vector<double> neighbour_form(std::span<const double> rows, std::size_t rankers,
                                             std::span<const float> features,
                                             std::size_t neighbours);

/// Throws InvalidArgument where the parts don't fit together or a number is out of range.
BRAID_API void validate(const SemiSupervisedFunction& function);

}  // namespace braid

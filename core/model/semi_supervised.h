// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/error.h"

namespace braid {

/// Weights computed from a query's candidates, so that similar documents get similar scores;
/// docs/algorithms/ser.md section 3. Plain numbers.
struct SemiSupervisedFunction {
    std::vector<double> base;     ///< The weights without candidates (gamma 0); sum 1.
    std::vector<double> margins;  ///< b: one row a training query, one number a ranker.
    std::vector<double> alpha;    ///< The dual solution of `base`, where a query's solution starts.
    std::vector<double> eta;
    double cost = 1;  ///< C
    double gamma = 0.5;
    std::size_t neighbours = 5;
    /// Finds neighbours by the documents' vectors (TrainingSet::places), not by their scores.
    bool by_places = false;

    bool operator==(const SemiSupervisedFunction&) const = default;
};

/// The weights for a pool of documents; their magnitudes sum to 1. `rows`: documents x rankers.
/// `features`: documents x any, for finding neighbours; empty: `rows` are used. A document whose
/// features are all zero has no neighbour. O(documents^2 width + rankers^3) plus the program of
/// (10). Throws InvalidArgument for sizes that don't match or a number that is not finite.
std::vector<double> semi_supervised_weights(const SemiSupervisedFunction& function,
                                            std::span<const double> rows,
                                            std::span<const float> features = {});

/// G' L G of (9), rankers x rankers, row by row: w' (G' L G) w measures how much scores differ
/// between neighbours.
std::vector<double> neighbour_form(std::span<const double> rows, std::size_t rankers,
                                   std::span<const float> features, std::size_t neighbours);

/// Throws InvalidArgument for sizes that don't match or a number out of range.
BRAID_API void validate(const SemiSupervisedFunction& function);

}  // namespace braid

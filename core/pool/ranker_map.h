// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// How different the first `depth` documents of two rankers are: the mean over queries and over
/// l = 1 .. depth of 1 - |both| / |either| of their first l. rankers x rankers row by row, in
/// [0, 1], 0 on the diagonal. Equal scores: the document whose name is greater first, the earlier
/// row where they have no names. O(documents rankers log + queries rankers^2 depth).
BRAID_API std::vector<double> ranker_distances(const TrainingSet& set, std::size_t depth = 10);

/// Points whose distances are as near to those given as classical scaling makes them.
struct RankerMap {
    std::size_t dimensions = 2;
    std::vector<double> points;  ///< One row a ranker; the mean is the origin.
    double share = 1;            ///< Of what distances say, by squares, that the map shows.
};

/// `distances`: size x size. Each axis has its largest coordinate positive, so that the same
/// distances always give the same map. Throws InvalidArgument where they are no square matrix, not
/// symmetric, or not finite from 0 up.
BRAID_API RankerMap map_rankers(std::span<const double> distances, std::size_t dimensions = 2);

}  // namespace braid

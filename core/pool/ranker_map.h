// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/training_set.h"

namespace braid {

/// How different the first `depth` documents of two rankers are: the mean over queries and over l =
/// 1 .. depth of 1 - |both| / |either| of their first l. rankers x rankers row by row, in [0, 1], 0
/// on the diagonal. Of equal scores, the document of the greater name is first; without names, the
/// earlier row. O(documents rankers log + queries rankers^2 depth).
std::vector<double> ranker_distances(const TrainingSet& set, std::size_t depth = 10);

/// Points that approximate given distances, by classical scaling.
struct RankerMap {
    std::size_t dimensions = 2;
    std::vector<double> points;  ///< One row a ranker; the mean is the origin.
    double share = 1;            ///< Share of the squared distances that the map shows.
};

/// `distances`: size x size. The largest coordinate of each axis is positive, so equal distances
/// give equal maps. Throws InvalidArgument unless they are a square symmetric matrix, finite and >=
/// 0.
RankerMap map_rankers(std::span<const double> distances, std::size_t dimensions = 2);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "braid/core/base/executor.h"
#include "braid/core/base/random.h"
#include "braid/core/base/float_matrix.h"

namespace braid {

/// Up to `clusters` of the vectors, by k-means++ with the weight 1 - cosine: docs/algorithms/
/// clusters.md (3). Fewer where the others point where these do. `vectors` are of `dimensions`
/// components and of length 1. O(vectors x clusters x dimensions). Not installed.
FloatMatrix seed_centroids(std::span<const float* const> vectors, std::size_t dimensions,
                           std::size_t clusters, Random& random, Executor& executor);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/float_matrix.h"
#include "braid/core/base/random.h"
#include "braid/core/vectors/nearest_centroid.h"

namespace braid {

/// Up to `clusters` of the vectors, by k-means++ with the weight 1 - cosine: docs/algorithms/
/// clusters.md (3). Fewer where the others point where these do. `vectors` are of `dimensions`
/// components and of length 1. O(vectors x clusters x dimensions). Not installed.
FloatMatrix seed_centroids(std::span<const float* const> vectors, std::size_t dimensions,
                           std::size_t clusters, Random& random, Executor& executor);

/// The two halves of an iteration of spherical k-means, over some unit vectors: docs/algorithms/
/// clusters.md (1), (2). The same bits at any number of threads. Not installed.
class BRAID_API Lloyd {
  public:
    using Nearest = NearestCentroid::Result;

    /// Borrows the vectors and the executor; at least one of vectors and of seeds.
    Lloyd(std::vector<const float*> vectors, FloatMatrix seeds, Executor& executor);

    /// Assigns every vector to its nearest centroid; returns the mean cosine.
    double assign();

    /// Moves every centroid to the direction of its members' sum. A cluster without members is
    /// first given the vector that is served worst, but never a cluster's last one.
    void update();

    /// Takes out clusters without members and renumbers the others.
    void drop_empty();

    FloatMatrix& centroids() { return centroids_; }
    const std::vector<Nearest>& nearest() const { return nearest_; }

  private:
    std::size_t size(std::size_t cluster) const { return begin_[cluster + 1] - begin_[cluster]; }
    void sort_by_cluster();
    void refill();
    void update_centroid(std::size_t cluster);

    std::vector<const float*> vectors_;
    std::vector<Nearest> nearest_;
    FloatMatrix centroids_;
    Executor& executor_;
    std::vector<std::size_t> begin_;    // Cluster c has members_[begin_[c] .. begin_[c + 1]),
    std::vector<std::size_t> members_;  // which are places in vectors_, ascending.
};

}  // namespace braid

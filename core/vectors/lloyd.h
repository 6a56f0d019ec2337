// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/random.h"
#include "braid/core/vectors/nearest_centroid.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// Up to `clusters` of the vectors, by k-means++ with the weight 1 - cosine:
/// docs/algorithms/clusters.md (3). Fewer if the other vectors repeat their directions. `vectors`
/// have `dimensions` components and length 1. O(vectors x clusters x dimensions).
FloatMatrix seed_centroids(std::span<const float* const> vectors, std::size_t dimensions,
                           std::size_t clusters, Random& random, Executor& executor);

/// The two halves of an iteration of spherical k-means over unit vectors:
/// docs/algorithms/clusters.md (1), (2). The same bits at any number of threads.
class Lloyd {
  public:
    using Nearest = NearestCentroid::Result;

    /// Borrows the vectors and the executor; needs at least one vector and one seed.
    Lloyd(std::vector<const float*> vectors, FloatMatrix seeds, Executor& executor);

    /// Assigns every vector to its nearest centroid; returns the mean cosine.
    double assign();

    /// Moves every centroid to the direction of its members' sum. First gives each empty cluster
    /// the vector farthest from its centroid, but never a cluster's last one.
    void update();

    /// Removes empty clusters and renumbers the others.
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
    std::vector<std::size_t> members_;  // which are indexes into vectors_, ascending.
};

}  // namespace braid

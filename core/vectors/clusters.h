// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/random.h"
#include "braid/core/vectors/nearest_centroid.h"
#include "braid/core/vectors/vector_codes.h"
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

struct ClusterOptions {
    /// 0: the square root of the number of vectors, at most 4096.
    std::size_t clusters = 0;
    std::size_t iterations = 25;         ///< Maximum; 0: the centroids are the seeds.
    double tolerance = 1e-4;             ///< Stops when the mean cosine rises by no more.
    std::size_t sample_per_cluster = 0;  ///< Training vectors per cluster; 0: 256.
    /// The coding in which members will be stored: radii are valid for decoded vectors.
    VectorCoding coding = VectorCoding::kFloat32;
    std::uint64_t seed = kDefaultSeed;

    bool operator==(const ClusterOptions&) const = default;
};

/// Groups of vectors of similar direction: a plain value. Every cluster has a member.
struct Clusters {
    FloatMatrix centroids;  ///< Their length is 1.
    /// The lowest cosine of each cluster's stored members with its centroid, rounded down, so that
    /// it is a valid bound for cosine_bound().
    std::vector<float> radius;
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> assignment;  ///< One a vector; kNoCluster for an all-zero one.
    /// Mean cosine of the training vectors with their centroids, before each iteration and at the
    /// end. Never falls except by rounding.
    std::vector<double> trace;
    std::string stop_reason;  ///< "converged" or "iteration limit".
    std::vector<std::string> warnings;
};

/// Spherical k-means: docs/algorithms/clusters.md. Rows of `vectors` are finite, of length 1 or all
/// zero. Makes fewer clusters, with a warning, if the vectors have fewer distinct directions, and
/// none if all vectors are zero. The same bits at any number of threads. O(sample x clusters x
/// dimensions) an iteration and O(vectors x clusters x dimensions) at the end; borrows `vectors`
/// and copies none. Throws InvalidArgument for components that are not finite or that `coding`
/// can't hold, and for options out of range; Cancelled if `progress` asks for it.
BRAID_API Clusters fit_clusters(const FloatMatrix& vectors, const ClusterOptions& options,
                                Executor& executor, const Progress& progress = {});

/// The cosine of the angle between two vectors, rounded down to a float; -1 if one is all zero.
/// Computed in double precision.
float cosine_rounded_down(std::span<const float> a, std::span<const float> b);

/// Widens `radius`, of the cluster with this centroid, to include one more member, given as stored
/// (decoded). Returns whether it changed.
BRAID_API bool widen_radius(std::span<const float> centroid, std::span<const float> stored,
                            float& radius);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/float_matrix.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/random.h"
#include "braid/core/vectors/nearest_centroid.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid {

struct ClusterOptions {
    /// 0: the square root of the number of vectors, at most 4096.
    std::size_t clusters = 0;
    std::size_t iterations = 25;         ///< At most; 0: the centroids are the seeds.
    double tolerance = 1e-4;             ///< Stops where the mean cosine rises by no more.
    std::size_t sample_per_cluster = 0;  ///< Vectors that centroids are learned from; 0: 256.
    /// How members will be stored: radii hold for what these codes decode to.
    VectorCoding coding = VectorCoding::kFloat32;
    std::uint64_t seed = kDefaultSeed;

    bool operator==(const ClusterOptions&) const = default;
};

/// Vectors in groups of similar direction: a plain value. Every cluster has a member.
struct Clusters {
    FloatMatrix centroids;  ///< Of length 1.
    /// Of each cluster the least cosine of a stored member with its centroid, rounded down, so that
    /// it is a valid bound for cosine_bound().
    std::vector<float> radius;
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> assignment;  ///< Of each vector; kNoCluster where it is all zero.
    /// Mean cosine of the vectors learned from with their centroids, before each iteration and at
    /// the end. Never falls but by rounding.
    std::vector<double> trace;
    std::string stop_reason;  ///< "converged" or "iteration limit".
    std::vector<std::string> warnings;
};

/// Spherical k-means: docs/algorithms/clusters.md. Rows of `vectors` are finite, of length 1 or all
/// zero. There are fewer clusters than asked for, with a warning, where there are fewer different
/// directions. Without a vector that is not zero there are no clusters at all. The same bits at any
/// number of threads. O(sample x clusters x dimensions) an iteration and the same for all vectors
/// at the end; borrows `vectors` and copies none. Throws InvalidArgument for components that are
/// not finite or that `coding` can't hold, and for options out of range; Cancelled where `progress`
/// says so.
BRAID_API Clusters fit_clusters(const FloatMatrix& vectors, const ClusterOptions& options,
                                Executor& executor, const Progress& progress = {});

/// The cosine of the angle between two vectors, rounded down to a float that is no larger than the
/// exact value; -1 where one of them is all zero. Double precision inside.
BRAID_API float cosine_rounded_down(std::span<const float> a, std::span<const float> b);

/// Makes `radius`, of the cluster with this centroid, hold for one more member, given as it is
/// stored (decoded). Returns whether it had to grow.
BRAID_API bool widen_radius(std::span<const float> centroid, std::span<const float> stored,
                            float& radius);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/base/simd.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"

namespace braid {

// The inner loop of assigning vectors to clusters.

/// Number of centroids, and of vectors, that the kernel processes together.
inline constexpr std::size_t kCentroidPanel = 16;
inline constexpr std::size_t kVectorTile = 4;

/// dots[v * kCentroidPanel + c] = vectors[v] . (centroid c of the panel), for kVectorTile vectors.
/// panel[i * kCentroidPanel + c] is component i of centroid c. Lanes run across centroids and never
/// along a sum, so every instruction set gives the same bits.
using CentroidKernel = void (*)(std::size_t dimensions, const float* const* vectors,
                                const float* panel, float* dots);

CentroidKernel centroid_kernel(InstructionLevel level);

/// Bound on the rounding error of a computed cosine for vectors stored as `coding`: 4e-6; 5.3e-4
/// for kFloat16, whose vectors are not rescaled to length 1. docs/algorithms/clusters.md (6).
BRAID_API double cosine_margin(VectorCoding coding);

/// Upper bound of the dot product q . x over a cluster's members x, for a unit vector q that has
/// the cosine `query_centroid` with the centroid, if every member has at least the cosine `radius`
/// (as in Clusters::radius). By the triangle inequality on the sphere, cos(max(0, angle(q, c) -
/// angle(radius))), docs/algorithms/clusters.md (5), plus `margin`. Valid if query_centroid and the
/// dot product compared with it are within 1e-6 of the exact ones. Never allocates or throws; a few
/// nanoseconds.
BRAID_API double cosine_bound(double query_centroid, double radius,
                              double margin = cosine_margin(VectorCoding::kFloat32));

/// The cluster of an all-zero vector: none.
inline constexpr std::uint32_t kNoCluster = std::numeric_limits<std::uint32_t>::max();

/// Finds the centroid of largest dot product, ties by number. Copies the centroids into a layout
/// for vector units, so make one and reuse it; immutable, safe to share between threads. The same
/// bits on every instruction set and for any batching.
class NearestCentroid {
  public:
    struct Result {
        std::uint32_t cluster = kNoCluster;
        float dot = 0;  ///< Summed in single precision, in order of components.
    };

    /// Throws InvalidArgument without at least one row and column.
    BRAID_API explicit NearestCentroid(const FloatMatrix& centroids);

    std::size_t clusters() const { return clusters_; }
    std::size_t dimensions() const { return dimensions_; }

    /// Throws InvalidArgument unless `vector` has dimensions() components. kNoCluster if all are
    /// zero.
    BRAID_API Result find(std::span<const float> vector) const;

    /// The same for many vectors, of dimensions() components each.
    void find_all(std::span<const float* const> vectors, std::span<Result> results) const;

  private:
    std::size_t clusters_;
    std::size_t dimensions_;
    void (*dots_)(std::size_t, const float* const*, const float*, float*);  // centroid_kernels.h
    std::vector<float> panels_;  // Some centroids side by side, component by component.
};

}  // namespace braid

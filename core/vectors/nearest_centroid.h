// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/float_matrix.h"
#include "braid/core/base/simd.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid {

// The inner loop of assigning vectors to clusters.

/// Centroids that go through the registers side by side, and vectors that go with them.
inline constexpr std::size_t kCentroidPanel = 16;
inline constexpr std::size_t kVectorTile = 4;

/// dots[v * kCentroidPanel + c] = vectors[v] . (centroid c of the panel), for kVectorTile vectors.
/// panel[i * kCentroidPanel + c] is component i of centroid c. Lanes run across centroids and never
/// along a sum, so every instruction set gives the same bits.
using CentroidKernel = void (*)(std::size_t dimensions, const float* const* vectors,
                                const float* panel, float* dots);

BRAID_API CentroidKernel centroid_kernel(InstructionLevel level);

/// What rounding may add to a computed cosine where vectors are stored as `coding`: 4e-6, and for
/// kFloat16, whose vectors are not scaled back to length 1, 5.3e-4. docs/algorithms/clusters.md
/// (6).
BRAID_API double cosine_margin(VectorCoding coding);

/// No member x of a cluster has a dot product q . x above this, where the unit vector q has the
/// cosine `query_centroid` with the centroid, and every member at least `radius` (a cosine, as in
/// Clusters::radius). By the triangle inequality on the sphere, cos(max(0, angle(q, c) -
/// angle(radius))), docs/algorithms/clusters.md (5), plus `margin`. Valid where query_centroid and
/// the dot product compared with it are within 1e-6 of the exact ones. Never allocates or throws;
/// a few nanoseconds.
BRAID_API double cosine_bound(double query_centroid, double radius,
                              double margin = cosine_margin(VectorCoding::kFloat32));

/// The cluster of a vector that is all zero: none.
inline constexpr std::uint32_t kNoCluster = std::numeric_limits<std::uint32_t>::max();

/// Finds the centroid of largest dot product, ties by number. Centroids are copied into an order
/// that the processor's vector units like, so make one and ask it often; immutable, safe to share
/// between threads. The same bits on every instruction set, and however vectors are batched.
class BRAID_API NearestCentroid {
  public:
    struct Result {
        std::uint32_t cluster = kNoCluster;
        float dot = 0;  ///< Summed in single precision, one component after the other.
    };

    /// At least one row, of at least one column, else InvalidArgument.
    explicit NearestCentroid(const FloatMatrix& centroids);

    std::size_t clusters() const { return clusters_; }
    std::size_t dimensions() const { return dimensions_; }

    /// `vector` has dimensions() components, else InvalidArgument. kNoCluster where all are zero.
    Result find(std::span<const float> vector) const;

    /// The same for many vectors, of dimensions() components each.
    void find_all(std::span<const float* const> vectors, std::span<Result> results) const;

  private:
    std::size_t clusters_;
    std::size_t dimensions_;
    void (*dots_)(std::size_t, const float* const*, const float*, float*);  // centroid_kernels.h
    std::vector<float> panels_;  // Some centroids side by side, component by component.
};

}  // namespace braid

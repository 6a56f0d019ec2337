// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/float_matrix.h"

namespace braid {

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

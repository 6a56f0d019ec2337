// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/nearest_centroid.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/vectors/centroid_kernels.h"

namespace braid {
namespace {

/// Vectors that meet one panel before the next: the panel stays in the first-level cache and
/// these in the second.
constexpr std::size_t kBatch = 64;

}  // namespace

NearestCentroid::NearestCentroid(const FloatMatrix& centroids)
    : clusters_(centroids.rows),
      dimensions_(centroids.columns),
      dots_(centroid_kernel(InstructionSet::kBest)) {
    if (clusters_ == 0 || dimensions_ == 0) {
        throw InvalidArgument(
            fmt::format("clusters: {} centroids of {} dimensions, expected at "
                        "least one of each",
                        clusters_, dimensions_));
    }
    const std::size_t panels = (clusters_ + kCentroidPanel - 1) / kCentroidPanel;
    panels_.assign(panels * kCentroidPanel * dimensions_, 0);
    for (std::size_t c = 0; c < clusters_; ++c) {
        float* panel = panels_.data() + c / kCentroidPanel * kCentroidPanel * dimensions_;
        for (std::size_t i = 0; i < dimensions_; ++i) {
            panel[i * kCentroidPanel + c % kCentroidPanel] = centroids.row(c)[i];
        }
    }
}

NearestCentroid::Result NearestCentroid::find(std::span<const float> vector) const {
    if (vector.size() != dimensions_) {
        throw InvalidArgument(fmt::format("clusters: a vector of {} components, expected {}",
                                          vector.size(), dimensions_));
    }
    const float* const row = vector.data();
    Result result;
    find_all({&row, 1}, {&result, 1});
    return result;
}

void NearestCentroid::find_all(std::span<const float* const> vectors,
                               std::span<Result> results) const {
    float dots[kVectorTile * kCentroidPanel];
    for (std::size_t begin = 0; begin < vectors.size(); begin += kBatch) {
        const std::size_t end = std::min(begin + kBatch, vectors.size());
        std::fill(results.begin() + static_cast<std::ptrdiff_t>(begin),
                  results.begin() + static_cast<std::ptrdiff_t>(end),
                  Result{0, -std::numeric_limits<float>::infinity()});
        for (std::size_t first = 0; first < clusters_; first += kCentroidPanel) {
            const std::size_t width = std::min(kCentroidPanel, clusters_ - first);
            for (std::size_t v = begin; v < end; v += kVectorTile) {
                const float* tile[kVectorTile];
                for (std::size_t t = 0; t < kVectorTile; ++t) {
                    tile[t] = vectors[std::min(v + t, end - 1)];
                }
                dots_(dimensions_, tile, panels_.data() + first * dimensions_, dots);
                for (std::size_t t = 0; t < kVectorTile && v + t < end; ++t) {
                    Result& best = results[v + t];
                    for (std::size_t c = 0; c < width; ++c) {
                        const float dot = dots[t * kCentroidPanel + c];
                        if (dot > best.dot) best = {static_cast<std::uint32_t>(first + c), dot};
                    }
                }
            }
        }
        for (std::size_t v = begin; v < end; ++v) {
            const float* x = vectors[v];
            if (std::all_of(x, x + dimensions_, [](float y) { return y == 0; })) results[v] = {};
        }
    }
}

}  // namespace braid

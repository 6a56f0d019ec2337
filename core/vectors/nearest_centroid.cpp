// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/nearest_centroid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {
namespace {

/// Of a cosine with a centroid, at most.
constexpr double kCosineError = 1e-6;

/// `rows` vectors at a time: what the registers of the instruction set hold.
template <typename V, std::size_t rows>
BRAID_INLINE void multiply(std::size_t dimensions, const float* const* vectors, const float* panel,
                           float* dots) {
    const std::size_t lanes = kLanes<V>;
    const std::size_t width = kCentroidPanel / lanes;
    V sum[rows][width] = {};
    for (std::size_t i = 0; i < dimensions; ++i) {
        V centroid[width];
#pragma GCC unroll 4
        for (std::size_t c = 0; c < width; ++c) {
            load(centroid[c], panel + i * kCentroidPanel + c * lanes);
        }
#pragma GCC unroll 4
        for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
            for (std::size_t c = 0; c < width; ++c) sum[r][c] += centroid[c] * vectors[r][i];
        }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < width; ++c) {
            store(dots + r * kCentroidPanel + c * lanes, sum[r][c]);
        }
    }
}

void multiply_baseline(std::size_t dimensions, const float* const* vectors, const float* panel,
                       float* dots) {
    multiply<FourLanes, 2>(dimensions, vectors, panel, dots);
    multiply<FourLanes, 2>(dimensions, vectors + 2, panel, dots + 2 * kCentroidPanel);
}

BRAID_AVX2 void multiply_avx2(std::size_t dimensions, const float* const* vectors,
                              const float* panel, float* dots) {
    multiply<EightLanes, kVectorTile>(dimensions, vectors, panel, dots);
}

}  // namespace

CentroidKernel centroid_kernel(InstructionLevel level) {
    return has_avx2(level) ? multiply_avx2 : multiply_baseline;
}

double cosine_margin(VectorCoding coding) {
    // binary16 rounds a component by at most 2^-11 of itself, hence also the vector's length;
    // components below 2^-14 add at most 2^-25 each, which the rest has room for up to 10^4
    // dimensions.
    return coding == VectorCoding::kFloat16 ? 5.3e-4 : 4e-6;
}

double cosine_bound(double query_centroid, double radius, double margin) {
    const double b = std::clamp(radius, -1.0, 1.0);
    // Opposite the cluster no margin covers the error of the query's cosine.
    const bool is_opposite = query_centroid < -std::fabs(b);
    const double a = std::clamp(query_centroid + (is_opposite ? kCosineError : 0), -1.0, 1.0);
    if (a >= b) return 1 + margin;  // The query lies within the cluster's cap.
    return a * b + std::sqrt((1 - a * a) * (1 - b * b)) + margin;
}

namespace {

/// Vectors that meet one panel before the next: the panel stays in the first-level cache and
/// these in the second.
constexpr std::size_t kBatch = 64;

}  // namespace

NearestCentroid::NearestCentroid(const FloatMatrix& centroids)
    : clusters_(centroids.rows),
      dimensions_(centroids.columns),
      dots_(centroid_kernel(best_instruction_level())) {
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

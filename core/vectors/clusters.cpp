// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/vectors/lloyd.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::size_t kVectorsPerChunk = 1024;
constexpr std::size_t kMostAutomatic = 4096;
constexpr std::size_t kSamplePerCluster = 256;
constexpr std::size_t kSeedingPerCluster = 32;

std::size_t chunks_of(std::size_t size, std::size_t per_chunk) {
    return (size + per_chunk - 1) / per_chunk;
}

void check(bool good, const char* name, double got, const char* expected) {
    if (!good) {
        throw InvalidArgument(fmt::format("clusters: {} is {}, expected {}", name, got, expected));
    }
}

/// The rows that are not zero. Throws InvalidArgument where one is not a unit vector.
std::vector<const float*> unit_rows(const FloatMatrix& vectors, VectorCoding coding) {
    std::vector<const float*> rows;
    for (std::size_t r = 0; r < vectors.rows; ++r) {
        double squares = 0;
        for (const float x : vectors.row(r)) {
            squares += static_cast<double>(x) * x;
            if (x < 0 && coding == VectorCoding::kUnsigned8) {
                throw InvalidArgument(fmt::format(
                    "clusters: vector {} has a component {}, expected none below 0 for unsigned "
                    "codes",
                    r, x));
            }
        }
        if (squares == 0) continue;
        if (!(std::abs(squares - 1) < 0.02)) {
            throw InvalidArgument(fmt::format("clusters: vector {} has length {}, expected 1 or 0",
                                              r, std::sqrt(squares)));
        }
        rows.push_back(vectors.row(r).data());
    }
    return rows;
}

/// `wanted` of the vectors at random, in their order; all where there are no more.
std::vector<const float*> sample(const std::vector<const float*>& vectors, std::size_t wanted,
                                 Random& random) {
    if (wanted >= vectors.size()) return vectors;
    std::vector<const float*> chosen;
    chosen.reserve(wanted);
    for (std::size_t v = 0; v < vectors.size(); ++v) {
        if (random.below(vectors.size() - v) < wanted - chosen.size()) {
            chosen.push_back(vectors[v]);
        }
    }
    return chosen;
}

/// Fills trace and stop_reason; returns the centroids.
FloatMatrix iterate(Lloyd& lloyd, const ClusterOptions& options, const Progress& progress,
                    Clusters& result) {
    result.stop_reason = "iteration limit";
    for (std::size_t i = 0;; ++i) {
        const double mean = lloyd.assign();
        const bool converged =
            !result.trace.empty() && !(mean - result.trace.back() > options.tolerance);
        result.trace.push_back(mean);
        if (progress && !progress({"clustering documents", i, options.iterations, "iterations",
                                   fmt::format("mean cosine {:.4f}", mean)})) {
            throw Cancelled("clustering documents was cancelled");
        }
        if (converged) result.stop_reason = "converged";
        if (converged || i == options.iterations) return std::move(lloyd.centroids());
        lloyd.update();
    }
}

/// The least cosine of each cluster's members as they will be stored.
std::vector<float> radii(const FloatMatrix& vectors, const Clusters& clusters, VectorCoding coding,
                         Executor& executor) {
    std::vector<float> cosines(vectors.rows, 1);
    executor.run(chunks_of(vectors.rows, kVectorsPerChunk), [&](std::size_t chunk) {
        const std::size_t end = std::min((chunk + 1) * kVectorsPerChunk, vectors.rows);
        std::vector<float> decoded(vectors.columns);
        for (std::size_t v = chunk * kVectorsPerChunk; v < end; ++v) {
            if (clusters.assignment[v] == kNoCluster) continue;
            const std::string bytes = encode_vector({coding, 0, 0}, vectors.row(v));
            decode_vector(open_vector(bytes, vectors.columns, "clusters"), decoded);
            cosines[v] =
                cosine_rounded_down(clusters.centroids.row(clusters.assignment[v]), decoded);
        }
    });
    std::vector<float> radius(clusters.centroids.rows, 1);
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        if (clusters.assignment[v] == kNoCluster) continue;
        float& least = radius[clusters.assignment[v]];
        least = std::min(least, cosines[v]);
    }
    return radius;
}

/// Assigns all rows to the centroids, and leaves out centroids that no row is nearest to.
void assign_all(const FloatMatrix& vectors, std::vector<const float*> rows, FloatMatrix centroids,
                Executor& executor, Clusters& result) {
    Lloyd all(std::move(rows), std::move(centroids), executor);
    all.assign();
    all.drop_empty();
    result.centroids = std::move(all.centroids());
    result.sizes.assign(result.centroids.rows, 0);
    std::size_t next = 0;
    for (std::size_t v = 0; v < vectors.rows; ++v) {
        const std::span<const float> row = vectors.row(v);
        if (std::all_of(row.begin(), row.end(), [](float x) { return x == 0; })) continue;
        result.assignment[v] = all.nearest()[next++].cluster;
        ++result.sizes[result.assignment[v]];
    }
}

}  // namespace

Clusters fit_clusters(const FloatMatrix& vectors, const ClusterOptions& options, Executor& executor,
                      const Progress& progress) {
    check(options.clusters < kNoCluster, "clusters", static_cast<double>(options.clusters),
          "below 2^32 - 1");
    check(options.tolerance >= 0 && options.tolerance < 1, "tolerance", options.tolerance,
          "0 to below 1");
    Clusters result;
    result.centroids.columns = vectors.columns;
    result.assignment.assign(vectors.rows, kNoCluster);
    std::vector<const float*> rows = unit_rows(vectors, options.coding);
    if (rows.empty()) {
        result.stop_reason = "nothing to cluster";
        return result;
    }
    const auto automatic = static_cast<std::size_t>(std::lround(std::sqrt(rows.size())));
    const std::size_t wanted =
        options.clusters > 0 ? options.clusters : std::min(automatic, kMostAutomatic);
    const std::size_t per_cluster =
        options.sample_per_cluster > 0 ? options.sample_per_cluster : kSamplePerCluster;

    Random random(options.seed);
    const std::size_t most = std::min(wanted, rows.size());
    const std::vector<const float*> learned_from = sample(rows, per_cluster * most, random);
    FloatMatrix seeds = seed_centroids(sample(learned_from, kSeedingPerCluster * most, random),
                                       vectors.columns, wanted, random, executor);
    Lloyd lloyd(learned_from, std::move(seeds), executor);
    FloatMatrix centroids = iterate(lloyd, options, progress, result);
    assign_all(vectors, std::move(rows), std::move(centroids), executor, result);
    result.radius = radii(vectors, result, options.coding, executor);
    if (result.centroids.rows < wanted) {
        result.warnings.push_back(fmt::format(
            "clusters lowered from {} to {}: the vectors have no more different directions", wanted,
            result.centroids.rows));
    }
    return result;
}

float cosine_rounded_down(std::span<const float> a, std::span<const float> b) {
    double dot = 0;
    double squares_a = 0;
    double squares_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        dot += static_cast<double>(a[i]) * b[i];
        squares_a += static_cast<double>(a[i]) * a[i];
        squares_b += static_cast<double>(b[i]) * b[i];
    }
    if (squares_a == 0 || squares_b == 0) return -1;
    // Products of floats are exact; each of the three sums is off by less than size * 2^-53 of
    // |a| |b|, |a|^2 and |b|^2.
    const double error = (3 * static_cast<double>(a.size()) + 8) * 0x1p-53;
    const double cosine = dot / (std::sqrt(squares_a) * std::sqrt(squares_b)) - error;
    const auto rounded = static_cast<float>(cosine);
    const float below = rounded > cosine
                            ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                            : rounded;
    return std::clamp(below, -1.0F, 1.0F);
}

bool widen_radius(std::span<const float> centroid, std::span<const float> stored, float& radius) {
    const float cosine = cosine_rounded_down(centroid, stored);
    if (cosine >= radius) return false;
    radius = cosine;
    return true;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid {
namespace {

constexpr std::size_t kVectorsPerSeedingChunk = 2048;
/// Of 1 - cosine: what is nearer is the same direction, up to rounding.
constexpr float kSameDirection = 1e-6F;

float dot_of(const float* a, const float* b, std::size_t size) {
    // Eight sums, added in one order, so that the compiler may use vector units.
    float sum[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    }
    for (; i < size; ++i) sum[0] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/// How far each vector is from the nearest seed so far.
class Distances {
  public:
    Distances(std::span<const float* const> vectors, std::size_t dimensions, Executor& executor)
        : vectors_(vectors),
          dimensions_(dimensions),
          executor_(executor),
          distances_(vectors.size(), 2.0F),
          sums_((vectors.size() + kVectorsPerSeedingChunk - 1) / kVectorsPerSeedingChunk) {}

    void add_seed(const float* seed) {
        executor_.run(sums_.size(), [&](std::size_t chunk) {
            const std::size_t begin = chunk * kVectorsPerSeedingChunk;
            const std::size_t end = std::min(begin + kVectorsPerSeedingChunk, vectors_.size());
            double sum = 0;
            for (std::size_t v = begin; v < end; ++v) {
                const float distance = 1 - dot_of(vectors_[v], seed, dimensions_);
                distances_[v] = std::min(distances_[v], distance);
                if (distances_[v] < kSameDirection) distances_[v] = 0;
                sum += distances_[v];
            }
            sums_[chunk] = sum;
        });
    }

    /// A vector with probability proportional to its distance; none (size) where all are 0.
    std::size_t draw(Random& random) const {
        double total = 0;
        for (const double sum : sums_) total += sum;
        if (total <= 0) return vectors_.size();
        double left = random.uniform() * total;
        std::size_t chunk = 0;
        while (chunk + 1 < sums_.size() && left >= sums_[chunk]) left -= sums_[chunk++];
        std::size_t last = vectors_.size();
        for (std::size_t v = chunk * kVectorsPerSeedingChunk; v < vectors_.size(); ++v) {
            if (distances_[v] == 0) continue;
            last = v;
            left -= distances_[v];
            if (left < 0) return v;
        }
        return last != vectors_.size() ? last : first_apart();
    }

  private:
    /// Rounding took the draw beyond the end.
    std::size_t first_apart() const {
        const auto apart = std::find_if(distances_.begin(), distances_.end(),
                                        [](float distance) { return distance > 0; });
        return static_cast<std::size_t>(apart - distances_.begin());
    }

    std::span<const float* const> vectors_;
    std::size_t dimensions_;
    Executor& executor_;
    std::vector<float> distances_;
    std::vector<double> sums_;
};

}  // namespace

FloatMatrix seed_centroids(std::span<const float* const> vectors, std::size_t dimensions,
                           std::size_t clusters, Random& random, Executor& executor) {
    Distances distances(vectors, dimensions, executor);
    FloatMatrix centroids(0, dimensions);
    std::size_t next = static_cast<std::size_t>(random.below(vectors.size()));
    while (centroids.rows < clusters && next < vectors.size()) {
        centroids.values.insert(centroids.values.end(), vectors[next], vectors[next] + dimensions);
        ++centroids.rows;
        distances.add_seed(vectors[next]);
        next = distances.draw(random);
    }
    return centroids;
}

namespace {

constexpr std::size_t kVectorsPerChunk = 1024;
constexpr std::size_t kClustersPerChunk = 8;

std::size_t chunks_of(std::size_t size, std::size_t per_chunk) {
    return (size + per_chunk - 1) / per_chunk;
}

}  // namespace

Lloyd::Lloyd(std::vector<const float*> vectors, FloatMatrix seeds, Executor& executor)
    : vectors_(std::move(vectors)),
      nearest_(vectors_.size()),
      centroids_(std::move(seeds)),
      executor_(executor) {}

double Lloyd::assign() {
    const NearestCentroid search(centroids_);
    std::vector<double> sums(chunks_of(vectors_.size(), kVectorsPerChunk));
    executor_.run(sums.size(), [&](std::size_t chunk) {
        const std::size_t begin = chunk * kVectorsPerChunk;
        const std::size_t size = std::min(kVectorsPerChunk, vectors_.size() - begin);
        search.find_all(std::span(vectors_).subspan(begin, size),
                        std::span(nearest_).subspan(begin, size));
        for (std::size_t v = begin; v < begin + size; ++v) sums[chunk] += nearest_[v].dot;
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(vectors_.size());
}

void Lloyd::update() {
    refill();
    sort_by_cluster();
    executor_.run(chunks_of(centroids_.rows, kClustersPerChunk), [&](std::size_t chunk) {
        const std::size_t begin = chunk * kClustersPerChunk;
        const std::size_t end = std::min(begin + kClustersPerChunk, centroids_.rows);
        for (std::size_t c = begin; c < end; ++c) update_centroid(c);
    });
}

void Lloyd::drop_empty() {
    sort_by_cluster();
    std::vector<std::uint32_t> number(centroids_.rows, kNoCluster);
    FloatMatrix kept(0, centroids_.columns);
    for (std::size_t c = 0; c < centroids_.rows; ++c) {
        if (size(c) == 0) continue;
        number[c] = static_cast<std::uint32_t>(kept.rows++);
        const std::span<const float> row = std::as_const(centroids_).row(c);
        kept.values.insert(kept.values.end(), row.begin(), row.end());
    }
    for (Nearest& nearest : nearest_) nearest.cluster = number[nearest.cluster];
    centroids_ = std::move(kept);
}

void Lloyd::sort_by_cluster() {
    begin_.assign(centroids_.rows + 1, 0);
    for (const Nearest& nearest : nearest_) ++begin_[nearest.cluster + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    members_.resize(vectors_.size());
    std::vector<std::size_t> place(begin_.begin(), begin_.end() - 1);
    for (std::size_t v = 0; v < vectors_.size(); ++v) members_[place[nearest_[v].cluster]++] = v;
}

void Lloyd::refill() {
    std::vector<std::size_t> sizes(centroids_.rows, 0);
    for (const Nearest& nearest : nearest_) ++sizes[nearest.cluster];
    if (std::find(sizes.begin(), sizes.end(), 0) == sizes.end()) return;
    std::vector<std::size_t> worst(vectors_.size());
    std::iota(worst.begin(), worst.end(), 0);
    std::stable_sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
        return nearest_[a].dot < nearest_[b].dot;
    });
    auto next = worst.begin();
    for (std::uint32_t cluster = 0; cluster < sizes.size(); ++cluster) {
        if (sizes[cluster] > 0) continue;
        while (next != worst.end() && sizes[nearest_[*next].cluster] < 2) ++next;
        if (next == worst.end()) return;
        --sizes[nearest_[*next].cluster];
        sizes[cluster] = 1;
        nearest_[*next++] = {cluster, 1};
    }
}

void Lloyd::update_centroid(std::size_t cluster) {
    std::vector<double> sum(centroids_.columns, 0);
    for (std::size_t m = begin_[cluster]; m < begin_[cluster + 1]; ++m) {
        const float* x = vectors_[members_[m]];
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
    }
    double squares = 0;
    for (const double x : sum) squares += x * x;
    if (squares < 1e-12) return;  // Members that cancel out have no common direction.
    const double scale = 1 / std::sqrt(squares);
    const std::span<float> centroid = centroids_.row(cluster);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        centroid[i] = static_cast<float>(sum[i] * scale);
    }
}

namespace {

constexpr std::size_t kMostAutomatic = 4096;
constexpr std::size_t kSamplePerCluster = 256;
constexpr std::size_t kSeedingPerCluster = 32;

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

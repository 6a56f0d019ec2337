// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/lloyd.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace braid {
namespace {

constexpr std::size_t kVectorsPerSeedingChunk = 2048;
/// Of 1 - cosine: what is nearer is the same direction, up to rounding.
constexpr float kSameDirection = 1e-6F;

float dot(const float* a, const float* b, std::size_t size) {
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
                const float distance = 1 - dot(vectors_[v], seed, dimensions_);
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

}  // namespace braid

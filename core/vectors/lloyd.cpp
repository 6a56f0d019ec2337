// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/lloyd.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace braid {
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

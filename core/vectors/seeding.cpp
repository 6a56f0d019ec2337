// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/seeding.h"

#include <algorithm>
#include <vector>

namespace braid {
namespace {

constexpr std::size_t kVectorsPerChunk = 2048;
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
          sums_((vectors.size() + kVectorsPerChunk - 1) / kVectorsPerChunk) {}

    void add_seed(const float* seed) {
        executor_.run(sums_.size(), [&](std::size_t chunk) {
            const std::size_t begin = chunk * kVectorsPerChunk;
            const std::size_t end = std::min(begin + kVectorsPerChunk, vectors_.size());
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
        for (std::size_t v = chunk * kVectorsPerChunk; v < vectors_.size(); ++v) {
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

}  // namespace braid

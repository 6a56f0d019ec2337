// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/neighbours.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "braid/core/vectors/clusters.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid {

double expanded_gain(const NeighbourSettings& settings, double share, double collection_share,
                     double length, double longest) {
    return word_gain(settings, share, collection_share, length) +
           length_gain(settings, length, longest);
}

// In the length it rises or falls throughout, so it is largest at one of the ends.
double expanded_bound(const NeighbourSettings& settings, double most_share, double collection_share,
                      double shortest, double longest_found, double longest) {
    const auto at = [&](double length) {
        return expanded_gain(settings, most_share, collection_share, std::min(length, longest),
                             longest);
    };
    return std::max(at(shortest), at(longest_found));
}

namespace {

constexpr std::size_t kRowsPerChunk = 128;

struct Near {
    double dot = 0;
    std::uint32_t row = kNoNeighbour;

    bool operator<(const Near& other) const {  ///< Nearer.
        return dot != other.dot ? dot > other.dot : row < other.row;
    }
};

// The best so far, nearest first.
class Best {
  public:
    explicit Best(std::size_t count) : count_(count) {}

    void offer(const Near& near) {
        if (!(near.dot > 0)) return;
        if (best_.size() == count_) {
            if (!(near < best_.back())) return;
            best_.pop_back();
        }
        best_.insert(std::upper_bound(best_.begin(), best_.end(), near), near);
    }
    const std::vector<Near>& best() const { return best_; }

  private:
    std::size_t count_;
    std::vector<Near> best_;
};

// Vectors in codes of 8 bits, cluster by cluster, so that those that are compared lie together.
class CodedRows {
  public:
    CodedRows(const FloatMatrix& vectors, const NeighbourOptions& options, Executor& executor,
              const Progress& progress)
        : columns_(vectors.columns), place_(vectors.rows, kNoNeighbour) {
        std::vector<std::uint32_t> cluster(vectors.rows, 0);
        if (vectors.rows > options.most_exact) {
            Clusters found = fit_clusters(vectors, {}, executor, progress);
            cluster = std::move(found.assignment);
            for (std::size_t c = 0; c < found.centroids.rows; ++c) {
                centroids_.push_back(encode(found.centroids.row(c)));
            }
        }
        for (std::uint32_t row = 0; row < vectors.rows; ++row) {
            const std::span<const float> vector = vectors.row(row);
            const bool empty =
                std::all_of(vector.begin(), vector.end(), [](float x) { return x == 0; });
            if (!empty) rows_.push_back(row);
        }
        std::stable_sort(rows_.begin(), rows_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return cluster[a] < cluster[b]; });
        begins_.assign(std::max<std::size_t>(centroids_.size(), 1) + 1, 0);
        codes_.reserve(rows_.size() * columns_);
        for (std::uint32_t place = 0; place < rows_.size(); ++place) {
            const std::uint32_t row = rows_[place];
            place_[row] = place;
            ++begins_[cluster[row] + 1];
            const std::string bytes = encode(vectors.row(row));
            const StoredVector stored = open_vector(bytes, columns_, "neighbours");
            codes_ += stored.codes;
            scales_.push_back(stored.scale);
        }
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    }

    // The nearest others of a row with that vector.
    std::vector<Near> nearest(std::uint32_t row, std::span<const float> vector,
                              const NeighbourOptions& options) const {
        Best best(options.count);
        if (place_[row] == kNoNeighbour) return {};
        const QueryVector query(vector);
        for (const std::uint32_t cluster : clusters_near(query, options.probes)) {
            for (std::uint32_t place = begins_[cluster]; place < begins_[cluster + 1]; ++place) {
                if (rows_[place] != row) best.offer({query.dot(at(place)), rows_[place]});
            }
        }
        return best.best();
    }

  private:
    static std::string encode(std::span<const float> vector) {
        return encode_vector({VectorCoding::kSigned8, 0, 0}, vector);
    }

    StoredVector at(std::uint32_t place) const {
        return {{VectorCoding::kSigned8, 0, 0},
                scales_[place],
                {codes_.data() + place * columns_, columns_}};
    }

    std::vector<std::uint32_t> clusters_near(const QueryVector& query, std::size_t probes) const {
        if (centroids_.empty()) return {0};
        Best best(probes);
        for (std::uint32_t c = 0; c < centroids_.size(); ++c) {
            // Above 0, so that each may be among the nearest.
            best.offer({2 + query.dot(open_vector(centroids_[c], columns_, "centroid")), c});
        }
        std::vector<std::uint32_t> found;
        for (const Near& near : best.best()) found.push_back(near.row);
        return found;
    }

    std::size_t columns_;
    std::vector<std::uint32_t> place_;    ///< Of each row; kNoNeighbour for one that is all zero.
    std::vector<std::uint32_t> rows_;     ///< By place.
    std::vector<std::uint32_t> begins_;   ///< Place of each cluster's first.
    std::string codes_;                   ///< By place.
    std::vector<float> scales_;           ///< The same.
    std::vector<std::string> centroids_;  ///< None where all rows are compared.
};

}  // namespace

std::vector<std::uint32_t> nearest_rows(const FloatMatrix& vectors,
                                        std::span<const std::uint32_t> wanted,
                                        const NeighbourOptions& options, Executor& executor,
                                        const Progress& progress) {
    std::vector<std::uint32_t> result(wanted.size() * options.count, kNoNeighbour);
    if (wanted.empty()) return result;
    const CodedRows rows(vectors, options, executor, progress);
    const std::size_t chunks = (wanted.size() + kRowsPerChunk - 1) / kRowsPerChunk;
    // A stretch of chunks between two reports, which come from this thread.
    const std::size_t stretch = std::max<std::size_t>(8 * executor.threads(), 8);
    for (std::size_t first = 0; first < chunks; first += stretch) {
        if (progress &&
            !progress(
                {"finding neighbours", first * kRowsPerChunk, wanted.size(), "documents", {}})) {
            throw Cancelled("stopped: nothing was written");
        }
        executor.run(std::min(stretch, chunks - first), [&](std::size_t chunk) {
            const std::size_t begin = (first + chunk) * kRowsPerChunk;
            const std::size_t end = std::min(wanted.size(), begin + kRowsPerChunk);
            for (std::size_t i = begin; i < end; ++i) {
                const auto near = rows.nearest(wanted[i], vectors.row(wanted[i]), options);
                for (std::size_t k = 0; k < near.size(); ++k) {
                    result[i * options.count + k] = near[k].row;
                }
            }
        });
    }
    return result;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// The kind under which a database keeps each document's nearest neighbours by another topic
/// model's vectors. Stored like a topic model without words; topic_models() doesn't list this kind.
inline constexpr char kNeighboursModel[] = "neighbours";
/// Neighbours of a document: as a rule, and at most.
inline constexpr std::size_t kUsualNeighbours = 10;
inline constexpr std::size_t kMostNeighbours = 64;

/// Documents expanded by their nearest neighbours: docs/algorithms/neighbours.md.
struct NeighbourSettings {
    double own = 0.5;  ///< Share of the document's own words, in [0, 1]; neighbours have the rest.
    double mu = 600;   ///< Dirichlet smoothing, in words; > 0.

    bool operator==(const NeighbourSettings&) const = default;
};

/// The two parts of (3): of a word, and of each word for the document's length.
inline double word_gain(const NeighbourSettings& settings, double share, double collection_share,
                        double length) {
    return std::log1p(length * share / (settings.mu * collection_share));
}
inline double length_gain(const NeighbourSettings& settings, double length, double longest) {
    return std::log((settings.mu + longest) / (settings.mu + length));
}

/// (3) of a word that makes up `share` of the expanded document, of that many words, and
/// `collection_share` > 0 of the collection. `length` is at most `longest`; the result is 0 or
/// more.
double expanded_gain(const NeighbourSettings& settings, double share, double collection_share,
                     double length, double longest);

/// The bound (4) of expanded_gain over shares up to `most_share` and lengths from `shortest` to
/// `longest_found`.
BRAID_API double expanded_bound(const NeighbourSettings& settings, double most_share,
                                double collection_share, double shortest, double longest_found,
                                double longest);

inline constexpr std::uint32_t kNoNeighbour = std::numeric_limits<std::uint32_t>::max();

struct NeighbourOptions {
    std::size_t count = kUsualNeighbours;
    /// With more vectors than this, only those in the `probes` nearest clusters are compared.
    std::size_t most_exact = 20'000;
    std::size_t probes = 16;
};

/// For each row in `wanted`, the other rows of largest positive dot product, best first and ties by
/// number: options.count numbers, kNoNeighbour where there are fewer. Rows of `vectors` have length
/// 1 or 0, and are compared in codes of 8 bits. The same at any number of threads. O(wanted x rows
/// x columns) up to most_exact rows; above about O(wanted x sqrt(rows) x columns x probes). Throws
/// Cancelled if `progress` asks for it.
BRAID_API std::vector<std::uint32_t> nearest_rows(const FloatMatrix& vectors,
                                                  std::span<const std::uint32_t> wanted,
                                                  const NeighbourOptions& options,
                                                  Executor& executor,
                                                  const Progress& progress = {});

}  // namespace braid

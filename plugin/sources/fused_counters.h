// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace braid {

/// What a FusedSource did.
struct FusedCounters {
    std::uint64_t postings = 0;            ///< That the query's terms have, term by term.
    std::uint64_t postings_in_memory = 0;  ///< Of those, in lists read from PostingTables.
    std::uint64_t postings_scored = 0;     ///< With all lexical rankers.
    std::uint64_t documents_scored = 0;    ///< Given to Xapian with their whole score.
    std::uint64_t documents_skipped = 0;   ///< Looked at, and given up before their whole score.
    std::uint64_t vectors_decoded = 0;     ///< Products of vectors, counted for each topic model.
    std::uint64_t vectors_in_memory = 0;   ///< Of those, read from VectorTables.
    std::uint64_t vectors_bounded = 0;     ///< Vectors of which a part was looked at, for a bound.
    /// Damaged vectors and records of documents, which count as missing: all of a shard where they
    /// are in memory, else those that were read, as often as they were.
    std::uint64_t damaged = 0;

    // Where topics find documents, too (TopicFinding), of all shards:
    std::uint64_t clusters = 0;          ///< Clusters of vectors that there are.
    std::uint64_t clusters_visited = 0;  ///< Of those, looked through.
    std::uint64_t clusters_left = 0;  ///< Not looked through, though they may have results: 0 where
                                      ///< the answer is exact.
    double left_bound = 0;  ///< No document of these that lacks the query's words scores more.
    std::uint64_t documents_similar = 0;  ///< Documents that clusters brought.
};

}  // namespace braid

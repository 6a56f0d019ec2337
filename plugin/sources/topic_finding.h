// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

namespace braid {

/// What a FusedSource is to find beside the documents that match its words: those that a topic
/// model has similar to the query. docs/algorithms/hybrid.md.
struct TopicFinding {
    /// A score that so many documents reach as are wanted: nothing below it is looked for.
    double floor = 0;
    /// As many results are wanted, where nothing leaves documents out after the source: it raises
    /// `floor` by itself then. 0: it doesn't.
    std::size_t best = 0;
    /// Clusters to look through in each shard, the most promising first; 0: all that can have a
    /// result, and the answer is exact.
    std::size_t most_clusters = 0;
    /// Leave out what the words match.
    bool others_only = false;

    bool operator==(const TopicFinding&) const = default;
};

}  // namespace braid

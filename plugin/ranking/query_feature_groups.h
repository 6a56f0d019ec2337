// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace braid {

/// What of a query is written down for learners of weights that follow from it:
/// docs/algorithms/features.md.
struct QueryFeatureGroups {
    bool words = true;    ///< How many and how rare, and how many the topic models know.
    bool topics = false;  ///< Its vectors in the topic models of the rankers.
    bool lists = false;   ///< How the rankers' lists differ, which takes a first pass each time.
    /// By name, the dimensions of QueryInputs::embeddings, which all queries bring.
    std::map<std::string, std::size_t> embeddings = {};

    bool operator==(const QueryFeatureGroups&) const = default;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/lexical/proximity.h"
#include "braid/error.h"

namespace braid {

/// A word of a query for ProximityScorer.
struct ProximityWord {
    /// So many of the query's terms are this word, from the one behind the word before on.
    std::size_t terms = 1;
    double rarity = 0;  ///< r(w): over 0.
    /// Terms whose positions are the word's. The first `stems` are stems, each of which replaces
    /// all others in a shard where it has positions itself.
    std::vector<std::string> forms = {};
    std::size_t stems = 0;

    bool operator==(const ProximityWord&) const = default;
};

/// Input of docs/algorithms/proximity.md's score besides the documents: a plain value, the same for
/// all shards.
struct ProximityQuery {
    ProximitySettings settings = {};
    double average_length = 0;  ///< Of the collection's documents, in Xapian's sense.
    std::vector<ProximityWord> words = {};

    /// Of the query, over all words.
    std::size_t terms() const;

    bool operator==(const ProximityQuery&) const = default;
};

/// The terms of a query that count in its score, from left to right, as an OR of them: a
/// ProximityQuery's terms, and those of read_bag_of_words.
Xapian::Query scored_words(const Xapian::Query& query);

/// The words of `query`, an OR of terms, with their forms, which are looked for among the
/// database's terms. `stem` made the query's stems. Two lookups and a walk over the terms that
/// begin like it for each word, or as many round trips if remote.
ProximityQuery read_proximity_query(const Xapian::Database& database, const Xapian::Query& query,
                                    const Xapian::Stem& stem, const ProximitySettings& settings);

void write_proximity_query(ByteWriter& out, const ProximityQuery& query);
/// Throws FormatError for invalid bytes, and where the query's terms aren't `terms`.
ProximityQuery read_proximity_query(ByteReader& in, std::size_t terms);

}  // namespace braid

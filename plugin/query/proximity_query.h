// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
    double rarity = 0;                    ///< r(w): over 0.
    std::vector<std::string> forms = {};  ///< Terms whose positions are the word's.

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

/// The terms of a database whose positions a query's term has: docs/algorithms/proximity.md,
/// Positions. For one state of the database, and one thread.
class WordForms {
  public:
    /// `stem` made the query's stems.
    WordForms(const Xapian::Database& database, const Xapian::Stem& stem)
        : database_(database), stem_(stem) {}

    /// For a stem a walk over the terms that begin like it, once; valid until the next call.
    const std::vector<std::string>& of(const std::string& term);

  private:
    bool stems_have_positions();
    std::vector<std::string> find(const std::string& term) const;

    Xapian::Database database_;
    Xapian::Stem stem_;
    std::optional<bool> stems_have_positions_;
    std::map<std::string, std::vector<std::string>> known_;
};

/// The words of `query`, an OR of terms. Two lookups for each besides those of `forms`.
ProximityQuery read_proximity_query(const Xapian::Database& database, const Xapian::Query& query,
                                    WordForms& forms, const ProximitySettings& settings);

void write_proximity_query(ByteWriter& out, const ProximityQuery& query);
/// Throws FormatError for invalid bytes, and where the query's terms aren't `terms`.
ProximityQuery read_proximity_query(ByteReader& in, std::size_t terms);

}  // namespace braid

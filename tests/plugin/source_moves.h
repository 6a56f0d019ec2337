// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/tests/plugin/naive_search.h"

namespace braid::test {

// What every posting source must do.

/// Requires that random calls of skip_to and check, over a database of about 150 documents, lead to
/// the documents and weights that next alone leads to. How many documents the source has.
std::size_t check_moves(Xapian::PostingSource& source, const Xapian::Database& database,
                        Random& random);

/// The same of the sources of 30 queries that `draw` makes, each a Source that finds much.
template <typename Source, typename Draw>
void check_moves_of_queries(const Xapian::Database& database, Random& random, const Draw& draw) {
    for (int round = 0; round < 30; ++round) {
        const auto query = draw();
        if (query.words.empty()) continue;
        Source source(query, 1);
        CHECK(check_moves(source, database, random) > 50);
    }
}

/// Requires that `score` gives `otherwise` to `good`, a document's value, where it is cut short and
/// where it is another model's.
template <typename Score>
void check_foreign_values(const std::string& good, double otherwise, const Score& score) {
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK(score(good.substr(0, size)) == otherwise);
    }
    std::string other = good;
    other[1] = static_cast<char>(other[1] + 1);
    CHECK(score(other) == otherwise);
}

/// Requires that no document weighs more than the source says; and that beside the words of `text`,
/// below a factor, each top list is the begin of the whole ranking. `may_lose`: Xapian itself may
/// lose one there (whole_match.h), and is told to look at enough documents.
void check_bound(Xapian::PostingSource& source, const Xapian::Database& database,
                 const Xapian::Query& text, bool may_lose = false);

/// The documents that a copy of the source matches, with their weights.
Scores matched(const Xapian::Database& database, const Xapian::PostingSource& source);

/// Requires that each document's weight, as a copy made before finds it, is in the ranges that the
/// source has from tables.
void check_ranges(DocumentSource& source, const Xapian::Database& database);

/// Requires that the source is registered, and that bytes of it make one that matches the same.
void check_sent(const Xapian::PostingSource& source, const Xapian::Database& database);

}  // namespace braid::test

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/lexical/statistics.h"

namespace braid {

/// What a Xapian database says of itself, as rankers want it: over all its shards. Equal to what
/// StatisticsWeight sees of the same database during a match.
BRAID_API CollectionStatistics collection_statistics(const Xapian::Database& database);

/// `query_occurrences` is the term's wqf. Costs two lookups; on a remote database two exchanges.
BRAID_API TermStatistics term_statistics(const Xapian::Database& database,
                                         const CollectionStatistics& collection,
                                         const std::string& term, double query_occurrences);

/// Bounds over the documents that have the term.
BRAID_API BoundStatistics bound_statistics(const Xapian::Database& database,
                                           const std::string& term);

/// A Xapian weight that sees its statistics as core's structs: the one adapter between the two.
/// A subclass calls `need_statistics` in its constructor and the rest from `init` on.
class BRAID_API StatisticsWeight : public Xapian::Weight {
  protected:
    /// Asks for all that the functions below return, and each document's occurrences and length.
    void need_statistics();

    CollectionStatistics collection_statistics() const;
    TermStatistics term_statistics() const;
    QueryStatistics query_statistics() const;
    /// Of this shard, so for get_maxpart and get_maxextra only.
    BoundStatistics bound_statistics() const;
};

}  // namespace braid

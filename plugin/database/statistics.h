// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/lexical/statistics.h"

namespace braid {

/// A Xapian database's statistics for rankers, over all its shards. Equal to those that
/// StatisticsWeight sees during a match.
BRAID_API CollectionStatistics collection_statistics(const Xapian::Database& database);

/// `query_occurrences` is the term's wqf. Costs two lookups, or two round trips if remote.
BRAID_API TermStatistics term_statistics(const Xapian::Database& database,
                                         const CollectionStatistics& collection,
                                         const std::string& term, double query_occurrences);

/// Bounds over the documents with the term.
BRAID_API BoundStatistics bound_statistics(const Xapian::Database& database,
                                           const std::string& term);

/// A Xapian weight with its statistics as core's structs: the only adapter between the two.
/// A subclass calls `need_statistics` in its constructor and the rest from `init` on.
class BRAID_API StatisticsWeight : public Xapian::Weight {
  protected:
    /// Requests everything that the functions below return, and each document's occurrences and
    /// length.
    void need_statistics();

    CollectionStatistics collection_statistics() const;
    TermStatistics term_statistics() const;
    QueryStatistics query_statistics() const;
    /// Bounds of this shard; use them in get_maxpart and get_maxextra only.
    BoundStatistics bound_statistics() const;
};

}  // namespace braid

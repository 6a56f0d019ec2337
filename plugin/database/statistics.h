// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <xapian.h>

#include "braid/core/lexical/statistics.h"
#include "braid/error.h"
#include "braid/weight.h"

namespace braid {

/// A Xapian database's statistics for rankers, over all its shards. Equal to those that
/// StatisticsWeight sees during a match.
CollectionStatistics collection_statistics(const Xapian::Database& database);

/// `query_occurrences` is the term's wqf. Costs two lookups, or two round trips if remote.
TermStatistics term_statistics(const Xapian::Database& database,
                               const CollectionStatistics& collection, const std::string& term,
                               double query_occurrences);

/// Bounds over the documents with the term.
BoundStatistics bound_statistics(const Xapian::Database& database, const std::string& term);

}  // namespace braid

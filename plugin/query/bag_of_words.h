// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/bytes.h"
#include "braid/core/export.h"
#include "braid/core/lexical/statistics.h"

namespace braid {

/// A term of a query, with its frequencies over all shards.
struct BagTerm {
    std::string term;
    double query_occurrences = 1;  ///< Its wqf.
    double documents = 0;
    double occurrences = 0;

    bool operator==(const BagTerm&) const = default;
};

/// A query that is an OR, or an AND, of terms, with all the statistics its score depends on: what
/// it means to a shard that knows nothing of the others.
struct BagOfWords {
    bool all = false;  ///< AND.
    CollectionStatistics collection;
    double length = 0;           ///< Of the query: Xapian::Query::get_length().
    std::vector<BagTerm> terms;  ///< In the query's order; a term given twice is there twice.

    /// Without query_norm, which `query_norm` computes.
    TermStatistics statistics(const BagTerm& term) const {
        return {collection, term.documents, term.occurrences, term.query_occurrences};
    }
    /// TermStatistics::query_norm of all its terms. O(terms).
    BRAID_API double query_norm() const;

    bool operator==(const BagOfWords&) const = default;
};

/// Why `query` is no OR or AND of terms, as the end of a sentence about it; "" if it is one.
BRAID_API std::string why_no_bag_of_words(const Xapian::Query& query);

/// Two lookups for each term. Throws InvalidArgument where why_no_bag_of_words says why.
BRAID_API BagOfWords read_bag_of_words(const Xapian::Database& database,
                                       const Xapian::Query& query);

BRAID_API void write_bag_of_words(ByteWriter& out, const BagOfWords& bag);
/// Throws FormatError for what can't be one.
BRAID_API BagOfWords read_bag_of_words(ByteReader& in);

}  // namespace braid

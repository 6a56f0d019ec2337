// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/export.h"
#include "braid/core/lexical/statistics.h"
#include "braid/plugin/database/document_fields.h"

namespace braid {

/// A term of a query, with its frequencies over all shards.
struct BagTerm {
    std::string term;
    double query_occurrences = 1;  ///< Its wqf.
    double documents = 0;
    double occurrences = 0;

    bool operator==(const BagTerm&) const = default;
};

/// A field that is scored by itself: the same words there.
struct BagField {
    std::string name;
    CollectionStatistics collection;  ///< Of the field's words.
    /// By the bag's terms; without a term where the bag's is another field's.
    std::vector<BagTerm> terms;

    TermStatistics statistics(const BagTerm& term) const {
        return {collection, term.documents, term.occurrences, term.query_occurrences};
    }
    /// TermStatistics::query_norm of its terms, and the query's length in them. O(terms).
    BRAID_API double query_norm() const;
    BRAID_API double length() const;

    bool operator==(const BagField&) const = default;
};

/// A query that is an OR, or an AND, of terms, with all the statistics its score depends on: what
/// it means to a shard that knows nothing of the others.
struct BagOfWords {
    bool all = false;  ///< AND.
    CollectionStatistics collection;
    double length = 0;           ///< Of the query: Xapian::Query::get_length().
    std::vector<BagTerm> terms;  ///< In the query's order; a term given twice is there twice.
    std::vector<BagField> fields;

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

/// Two lookups for each term, of the whole text and of each field. Throws InvalidArgument where
/// why_no_bag_of_words says why.
BRAID_API BagOfWords read_bag_of_words(const Xapian::Database& database, const Xapian::Query& query,
                                       const std::vector<FieldCollection>& fields = {});

/// The bag's words in that field. Two lookups for each.
BRAID_API BagField read_bag_field(const Xapian::Database& database, const BagOfWords& bag,
                                  const FieldCollection& field);

BRAID_API void write_bag_of_words(ByteWriter& out, const BagOfWords& bag);
/// Throws FormatError for what can't be one.
BRAID_API BagOfWords read_bag_of_words(ByteReader& in);

}  // namespace braid

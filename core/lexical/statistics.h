// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// Statistics of the collection: of all shards together, never of one.
struct CollectionStatistics {
    double documents = 0;
    double total_length = 0;  ///< Sum of the documents' lengths, in terms.

    double average_length() const { return documents > 0 ? total_length / documents : 0; }

    bool operator==(const CollectionStatistics&) const = default;
};

/// One query term, over the whole collection.
struct TermStatistics {
    CollectionStatistics collection;
    double documents = 0;          ///< Documents that have the term (df).
    double occurrences = 0;        ///< Occurrences in all documents (cf).
    double query_occurrences = 1;  ///< Occurrences in the query (wqf).
    /// Euclidean length of the query's tf-idf vector (lexical.md 7b); 0: unknown, then not divided
    /// by.
    double query_norm = 0;

    bool operator==(const TermStatistics&) const = default;
};

/// One document, with respect to one term of the query.
struct DocumentStatistics {
    double occurrences = 0;   ///< The term's, in the document (wdf).
    double length = 0;        ///< Sum of the wdf of all its terms.
    double unique_terms = 0;  ///< Filled only for rankers that need it, like
    double norm = 0;          ///< Euclidean length of its vector of 1 + log tf; 0: unknown.
};

/// Bounds on all documents that a term may occur in. Valid, but not always tight: they come from
/// one shard's statistics, so they may steer pruning but never enter a score.
struct BoundStatistics {
    double occurrences_max = 0;
    double length_min = 0;  ///< Over non-empty documents.
    double length_max = 0;
};

/// The query as a whole, for parts of a score that don't belong to one term.
struct QueryStatistics {
    CollectionStatistics collection;
    double length = 0;  ///< Sum of the terms' query occurrences.

    bool operator==(const QueryStatistics&) const = default;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// The collection as a ranker sees it: over all shards, never over one.
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
    double occurrences = 0;        ///< Occurrences in all of them (cf).
    double query_occurrences = 1;  ///< How often the query has it (wqf).
    /// Euclidean length of the query's tf-idf vector (lexical.md 7b); 0: not known, nothing is
    /// divided by it.
    double query_norm = 0;

    bool operator==(const TermStatistics&) const = default;
};

/// One document, with respect to one term of the query.
struct DocumentStatistics {
    double occurrences = 0;   ///< Of the term in the document (wdf).
    double length = 0;        ///< Sum of the wdf of all its terms.
    double unique_terms = 0;  ///< Only filled for rankers that say they need it, and so is the
    double norm = 0;          ///< Euclidean length of its vector of 1 + log tf; 0: not known.
};

/// What is known about every document a term may occur in. Valid, not always tight: from one
/// shard's statistics, so it may steer pruning but never enter a score.
struct BoundStatistics {
    double occurrences_max = 0;
    double length_min = 0;  ///< Over documents that are not empty.
    double length_max = 0;
};

/// The query as a whole, for parts of a score that don't belong to one term.
struct QueryStatistics {
    CollectionStatistics collection;
    double length = 0;  ///< Sum of the terms' query occurrences.

    bool operator==(const QueryStatistics&) const = default;
};

}  // namespace braid

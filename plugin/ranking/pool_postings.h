// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/statistics.h"
#include "braid/plugin/sources/time_limit.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

class DatabaseRecords;

/// A database's data for the documents of a pool, which ascend: read in that order, each item once,
/// on first use. Borrows the documents.
class PoolPostings {
  public:
    /// Everything throws TimeIsOver once `limit` is over, where it isn't null.
    PoolPostings(const Xapian::Database& database, std::span<const Xapian::docid> documents,
                 std::shared_ptr<TimeLimit> limit = {})
        : database_(database), documents_(documents), limit_(std::move(limit)) {}

    struct Term {
        std::vector<char> has;       ///< By document. A boolean term is present with 0 occurrences.
        std::vector<double> counts;  ///< Occurrences.
    };
    /// O(documents), with a skip through the postings each.
    const Term& term(const std::string& term);
    const std::vector<double>& counts(const std::string& term) { return this->term(term).counts; }
    /// Throws Xapian::DocNotFoundError.
    const std::vector<double>& lengths();
    /// Have no occurrences. Come from the records that the database keeps of its documents; without
    /// any, norms are 0 and unique terms counted: 10 microseconds and more a document.
    const std::vector<DocumentStatistics>& records();
    /// The same of one field. Throws Xapian::InvalidOperationError where the database doesn't
    /// record it.
    const std::vector<DocumentStatistics>& field_records(const std::string& field);
    /// Documents read by `records` and `field_records` whose record is damaged, and counts
    /// as missing.
    const std::set<Xapian::docid>& damaged() const { return damaged_; }

  private:
    void fill(DatabaseRecords& reader, std::size_t i, DocumentStatistics& document,
              std::span<DocumentStatistics> fields = {});

    Xapian::Database database_;
    std::span<const Xapian::docid> documents_;
    std::map<std::string, Term> terms_;
    std::vector<double> lengths_;
    std::vector<DocumentStatistics> records_;
    std::map<std::string, std::vector<DocumentStatistics>> field_records_;
    std::set<Xapian::docid> damaged_;
    std::shared_ptr<TimeLimit> limit_;
};

/// The values of a slot for documents in ascending order, from memory where `tables` has room.
class PoolValues {
  public:
    /// `shards` hold the values, in the order of the shards of the database whose documents are
    /// meant; `tables` may be nullptr.
    PoolValues(const std::vector<Xapian::Database>& shards, Xapian::valueno slot,
               VectorTables* tables);

    /// "" if there is none. Valid until the next call.
    const std::string& value(Xapian::docid docid);

  private:
    std::vector<VectorAccess> access_;  ///< One per shard, if there are tables.
    bool in_memory_ = false;
    Xapian::Database database_;
    Xapian::ValueIterator at_, end_;
    std::string value_;
};

/// How often one document has each of the terms: a pass over its own list for each.
std::vector<double> counts_in(const Xapian::Database& database, Xapian::docid docid,
                              const std::vector<std::string>& terms);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/statistics.h"
#include "braid/plugin/sources/vector_tables.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// Reads the records of a shard's documents in ascending order: what every path that scores takes a
/// document's norm and unique terms from. Not installed.
class RecordReader {
  public:
    /// Of a shard itself, never of a sidecar, which has vectors alone; `tables` may be nullptr.
    /// Throws Xapian::InvalidOperationError where it keeps no records.
    RecordReader(const Xapian::Database& shard, VectorTables* tables);

    /// Fills in norm and unique terms. Where the document has no record these are 0 and its length,
    /// which has to be there. Documents must not descend from call to call.
    void fill(Xapian::docid docid, DocumentStatistics& document);

  private:
    std::string_view value(Xapian::docid docid);

    VectorAccess access_;
    Xapian::ValueIterator at_, end_;
    std::string buffer_;
};

/// The same for a database of one shard or several, each of which says where its records are.
class DatabaseRecords {
  public:
    /// Whether each shard keeps records.
    static bool are_in(const Xapian::Database& database);

    /// Throws as RecordReader does.
    explicit DatabaseRecords(const Xapian::Database& database);

    /// As RecordReader::fill; documents are the database's.
    void fill(Xapian::docid docid, DocumentStatistics& document);

  private:
    std::vector<RecordReader> shards_;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/statistics.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/tables/vector_tables.h"

namespace braid {

/// What a field's words score by: `occurrences` of a word in the field of a document, whose record
/// may be older than its words. Without length the field has no words, whatever was found.
inline DocumentStatistics with_occurrences(DocumentStatistics field, double occurrences) {
    field.occurrences = field.length > 0 ? occurrences : 0;
    field.length = field.length > 0 && field.length < occurrences ? occurrences : field.length;
    return field;
}

/// Reads the records of a shard's documents in ascending order: what every path that scores takes a
/// document's norm and unique terms from, and the same of its fields.
class RecordReader {
  public:
    /// Reads a shard itself, never a sidecar, which has vectors only; `tables` may be nullptr.
    /// Throws Xapian::InvalidOperationError where it keeps no records, or none of one of `fields`.
    RecordReader(const Xapian::Database& shard, VectorTables* tables,
                 const std::vector<std::string>& fields = {});

    /// Fills in norm and unique terms. Where the document has no record, or a damaged one, these
    /// are 0 and its length, which has to be there. `fields` get those of the reader's fields, in
    /// their order, and their lengths, at most the document's; 0 where the record has none.
    /// Documents must not descend from call to call.
    void fill(Xapian::docid docid, DocumentStatistics& document,
              std::span<DocumentStatistics> fields = {});

    /// From now on each damaged record that is read adds 1 to `damaged`, which outlives the reader.
    void count_damage_in(std::uint64_t& damaged) { damaged_ = &damaged; }

  private:
    std::string_view value(Xapian::docid docid);

    VectorAccess access_;
    std::uint8_t fields_tag_ = 0;
    std::vector<std::size_t> places_;    ///< Places of the fields in a record.
    std::vector<FieldRecord> recorded_;  ///< Room for those of a record.
    Xapian::ValueIterator at_, end_;
    std::string buffer_;
    std::uint64_t* damaged_ = nullptr;
};

/// The same for a database of one shard or several, each of which says where its records are.
class DatabaseRecords {
  public:
    /// Whether each shard keeps records.
    static bool are_in(const Xapian::Database& database);

    /// Throws as RecordReader does.
    explicit DatabaseRecords(const Xapian::Database& database,
                             const std::vector<std::string>& fields = {});

    /// As RecordReader::fill; documents are the database's.
    void fill(Xapian::docid docid, DocumentStatistics& document,
              std::span<DocumentStatistics> fields = {});

    /// As RecordReader::count_damage_in.
    void count_damage_in(std::uint64_t& damaged);

  private:
    std::vector<RecordReader> shards_;
};

}  // namespace braid

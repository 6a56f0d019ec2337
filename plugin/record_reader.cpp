// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/record_reader.h"

#include <fmt/format.h>

namespace braid {
namespace {

unsigned slot_of(const Xapian::Database& holder) {
    const std::optional<DocumentRecords> records = load_document_records(holder);
    if (records) return records->slot;
    throw Xapian::InvalidOperationError(
        fmt::format("the database with the UUID {} keeps no statistics of its documents; `braid "
                    "adopt --statistics` makes them",
                    holder.get_uuid()));
}

}  // namespace

RecordReader::RecordReader(const Xapian::Database& holder, VectorTables* tables) {
    const unsigned slot = slot_of(holder);
    if (tables != nullptr) access_ = tables->vectors(holder, slot);
    if (access_.table == nullptr) at_ = holder.valuestream_begin(slot);
}

std::string_view RecordReader::value(Xapian::docid docid) {
    if (access_.table != nullptr) return access_.table->value(docid);
    access_.count_read();
    if (at_ == end_) return {};
    if (at_.get_docid() < docid) {
        if (!at_.check(docid)) return {};
        if (at_ == end_) return {};
    }
    if (at_.get_docid() != docid) return {};
    buffer_ = *at_;
    return buffer_;
}

void RecordReader::fill(Xapian::docid docid, DocumentStatistics& document) {
    const std::optional<DocumentRecord> record = try_document_record(value(docid));
    document.norm = record ? static_cast<double>(record->norm) : 0;
    document.unique_terms = record ? static_cast<double>(record->unique_terms) : document.length;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/record_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/plugin/xapian_version.h"

namespace braid {
namespace {

unsigned slot_of(const Xapian::Database& shard) {
    const std::optional<DocumentRecords> records = load_document_records(shard);
    if (records) return records->slot;
    throw Xapian::InvalidOperationError(
        fmt::format("the database with the UUID {} keeps no statistics of its documents; `braid "
                    "adopt --statistics` makes them",
                    shard.get_uuid()));
}

std::vector<Xapian::Database> shards_or_whole(const Xapian::Database& database) {
    std::vector<Xapian::Database> shards = shards_of(database);
    return shards.empty() ? std::vector<Xapian::Database>{database} : shards;
}

}  // namespace

RecordReader::RecordReader(const Xapian::Database& shard, VectorTables* tables) {
    const unsigned slot = slot_of(shard);
    if (tables != nullptr) access_ = tables->vectors(shard, slot);
    if (access_.table == nullptr) at_ = shard.valuestream_begin(slot);
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

bool DatabaseRecords::are_in(const Xapian::Database& database) {
    const std::vector<Xapian::Database> shards = shards_or_whole(database);
    return std::all_of(shards.begin(), shards.end(), [](const Xapian::Database& shard) {
        return load_document_records(shard).has_value();
    });
}

DatabaseRecords::DatabaseRecords(const Xapian::Database& database) {
    for (const Xapian::Database& shard : shards_or_whole(database)) {
        shards_.emplace_back(shard, nullptr);
    }
}

void DatabaseRecords::fill(Xapian::docid docid, DocumentStatistics& document) {
    const auto count = static_cast<Xapian::docid>(shards_.size());
    shards_[(docid - 1) % count].fill((docid - 1) / count + 1, document);
}

}  // namespace braid

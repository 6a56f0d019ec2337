// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/record_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/error.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/database/xapian_version.h"

namespace braid {
namespace {

DocumentRecords records_of(const Xapian::Database& shard) {
    std::optional<DocumentRecords> records = load_document_records(shard);
    if (records) return *std::move(records);
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

RecordReader::RecordReader(const Xapian::Database& shard, VectorTables* tables,
                           const std::vector<std::string>& fields) {
    const DocumentRecords records = records_of(shard);
    for (const std::string& field : fields) {
        try {
            places_.push_back(place_of_field(records, field));
        } catch (const ModelMismatch& error) {
            throw Xapian::InvalidOperationError(error.what());
        }
        recorded_.resize(std::max(recorded_.size(), places_.back() + 1));
    }
    fields_tag_ = records.fields_tag();
    if (tables != nullptr) access_ = tables->vectors(shard, records.slot);
    if (access_.table == nullptr) at_ = shard.valuestream_begin(records.slot);
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

void RecordReader::fill(Xapian::docid docid, DocumentStatistics& document,
                        std::span<DocumentStatistics> fields) {
    const std::string_view bytes = value(docid);
    const std::optional<DocumentRecord> record = try_document_record(bytes, recorded_);
    if (!record && !bytes.empty() && damaged_ != nullptr) ++*damaged_;
    const bool has_fields = record && record->fields_tag == fields_tag_;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const FieldRecord field = has_fields ? recorded_[places_[i]] : FieldRecord{};
        fields[i] = {.length = std::min(static_cast<double>(field.length), document.length),
                     .unique_terms = static_cast<double>(field.unique_terms),
                     .norm = static_cast<double>(field.norm)};
    }
    document.norm = record ? static_cast<double>(record->norm) : 0;
    document.unique_terms = record ? static_cast<double>(record->unique_terms) : document.length;
}

bool DatabaseRecords::are_in(const Xapian::Database& database) {
    const std::vector<Xapian::Database> shards = shards_or_whole(database);
    return std::all_of(shards.begin(), shards.end(), [](const Xapian::Database& shard) {
        return load_document_records(shard).has_value();
    });
}

DatabaseRecords::DatabaseRecords(const Xapian::Database& database,
                                 const std::vector<std::string>& fields) {
    for (const Xapian::Database& shard : shards_or_whole(database)) {
        shards_.emplace_back(shard, nullptr, fields);
    }
}

void DatabaseRecords::count_damage_in(std::uint64_t& damaged) {
    for (RecordReader& shard : shards_) shard.count_damage_in(damaged);
}

void DatabaseRecords::fill(Xapian::docid docid, DocumentStatistics& document,
                           std::span<DocumentStatistics> fields) {
    const auto count = static_cast<Xapian::docid>(shards_.size());
    shards_[(docid - 1) % count].fill((docid - 1) / count + 1, document, fields);
}

}  // namespace braid

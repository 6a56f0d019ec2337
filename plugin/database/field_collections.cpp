// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/field_collections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/error.h"
#include "braid/plugin/database/xapian_version.h"

namespace braid {
namespace {

double words_now(const RecordedField& field, double documents) {
    const auto words = static_cast<double>(field.words);
    const auto counted = static_cast<double>(field.documents);
    if (counted == documents || counted == 0) return words;
    return words / counted * documents;
}

}  // namespace

std::size_t place_of_field(const DocumentRecords& records, const std::string& field) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < records.fields.size(); ++i) {
        if (records.fields[i].name == field) return i;
        known.push_back(records.fields[i].name);
    }
    throw ModelMismatch(fmt::format(
        "the field '{}' can't be scored alone, since the database doesn't hold its length in each "
        "document; {}. `braid adopt --statistics` records every field that has a prefix of its own "
        "and is indexed by words",
        field,
        known.empty() ? "it holds that of no field"
                      : fmt::format("it holds that of {}", fmt::join(known, ", "))));
}

std::vector<FieldCollection> field_collections(const Xapian::Database& database,
                                               const std::vector<std::string>& fields) {
    std::vector<FieldCollection> result;
    if (fields.empty()) return result;
    std::vector<Xapian::Database> shards = shards_of(database);
    if (shards.empty()) shards = {database};
    for (const std::string& name : fields) {
        FieldCollection& field = result.emplace_back();
        field.name = name;
        field.collection.documents = static_cast<double>(database.get_doccount());
    }
    for (const Xapian::Database& shard : shards) {
        const DocumentRecords records = load_document_records(shard).value_or(DocumentRecords{});
        for (FieldCollection& field : result) {
            const RecordedField& recorded = records.fields[place_of_field(records, field.name)];
            if (!field.prefix.empty() && field.prefix != recorded.prefix) {
                throw ModelMismatch(
                    fmt::format("the field '{}' has the prefix {} in one shard and {} in another",
                                field.name, field.prefix, recorded.prefix));
            }
            field.prefix = recorded.prefix;
            field.collection.total_length +=
                words_now(recorded, static_cast<double>(shard.get_doccount()));
        }
    }
    return result;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>
#include <optional>

#include "braid/adopt.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// The slot of a shard's records, or the one where an interrupted run began to write them.
std::optional<DocumentRecords> records_of(const Xapian::Database& shard, WordForm form) {
    if (auto records = load_document_records(shard)) return records;
    const std::string begun = shard.get_metadata(kBegunRecordsKey);
    unsigned slot = 0;
    const char* end = begun.data() + begun.size();
    const auto [stop, error] = std::from_chars(begun.data(), end, slot);
    if (error != std::errc() || stop != end) return std::nullopt;
    return DocumentRecords{slot, form};
}

// Whether a shard has its records there already, or nothing else.
bool is_free_for_records(const Xapian::Database& shard, const DocumentRecords& records) {
    const auto own = records_of(shard, records.form);
    if (own) return own->slot == records.slot && own->form == records.form;
    for (const std::string& id : recorded_topic_models(shard)) {
        const auto record = intact_topic_record(shard, id);
        if (record && record->slot == records.slot) return false;
    }
    return shard.get_value_freq(records.slot) == 0;
}

// What a shard has already, where the others have room for it; or a new place.
DocumentRecords place_of_records(std::vector<TopicShard>& shards, const Xapian::Database& source) {
    const WordForm form = find_word_form(source);
    std::vector<Xapian::Database> targets;
    targets.reserve(shards.size());
    for (TopicShard& shard : shards) targets.push_back(shard.target());
    for (const Xapian::Database& target : targets) {
        const auto records = records_of(target, form);
        if (!records) continue;
        const bool fits = std::all_of(targets.begin(), targets.end(), [&](const auto& other) {
            return is_free_for_records(other, *records);
        });
        if (fits) return *records;
    }
    return {free_topic_slot(targets, load_index_settings(source).value_or(IndexSettings())), form};
}

// Those whose words have a prefix of their own, by what the database says of itself or by
// convention.
std::vector<RecordedField> fields_of(const Xapian::Database& source) {
    std::vector<RecordedField> fields;
    for (const FieldSettings& field :
         load_index_settings(source).value_or(IndexSettings()).fields) {
        if (field.prefix.empty() || field.exact) continue;
        fields.push_back({.name = field.name, .prefix = field.prefix});
    }
    return fields;
}

}  // namespace

AdoptedStatistics adopt_statistics(const std::vector<std::string>& databases,
                                   const AdoptStatisticsOptions& options) {
    if (databases.empty()) throw InvalidArgument("no database given");
    try {
        std::vector<TopicShard> shards;
        shards.reserve(databases.size());
        for (const std::string& spec : databases) {
            shards.push_back(wait_for_lock(kLockPatienceBefore, [&] {
                return TopicShard(spec, "", options.batch,
                                  "statistics can only be written into the database itself");
            }));
        }
        AdoptedStatistics result;
        const Xapian::Database source = open_databases(databases);
        DocumentRecords found = place_of_records(shards, source);
        found.fields = fields_of(source);
        result.slot = found.slot;
        result.fields = found.fields.size();
        for (TopicShard& shard : shards) {
            if (!load_document_records(shard.target())) {
                shard.target().set_metadata(kBegunRecordsKey, std::to_string(found.slot));
            }
            result.written += shard.write_records(found, options.progress);
        }
        for (TopicShard& shard : shards) {
            DocumentRecords records = found;
            records.fields = count_fields(shard.target(), records);
            store_document_records(shard.target(), records);
            shard.target().set_metadata(kBegunRecordsKey, "");
            shard.target().commit();
        }
        shards.clear();  // That hold the locks.
        write_table_files(databases, TableFiles::kRenew);
        return result;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid

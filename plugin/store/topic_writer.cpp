// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_writer.h"

#include <algorithm>
#include <set>
#include <vector>

#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {

void write_topic_model(Xapian::WritableDatabase& database, const std::string& id,
                       const TopicRecord& record, const TopicSummary& summary,
                       const TopicModel& model) {
    database.set_metadata(topic_key(id, kTopicRecordEnding), serialise(record));
    database.set_metadata(topic_key(id, kTopicWordsEnding), serialise(summary));
    const std::string prefix = topic_key(id, kTopicTermEnding);
    for (std::size_t t = 0; t < model.vocabulary.size(); ++t) {
        database.set_metadata(prefix + model.vocabulary[t],
                              encode_term_vector(model.term_vectors.row(t)));
    }
}

void renew_topic_record(Xapian::WritableDatabase& database, const std::string& id,
                        const TopicRecord& record) {
    const std::string key = topic_key(id, kTopicRecordEnding);
    const std::string bytes = serialise(record);
    if (database.get_metadata(key) != bytes) database.set_metadata(key, bytes);
}

std::string publish_topic_model(Xapian::WritableDatabase& database,
                                const TopicModelIdentity& identity) {
    std::vector<TopicModelIdentity> models = load_topic_catalogue(database);
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const auto& model) { return model.name == identity.name; });
    std::string former;
    if (found == models.end()) {
        models.push_back(identity);
    } else {
        former = found->id;
        *found = identity;
    }
    store_topic_catalogue(database, models);
    return former;
}

bool withdraw_topic_model(Xapian::WritableDatabase& database, const std::string& name) {
    std::vector<TopicModelIdentity> models = load_topic_catalogue(database);
    const auto gone = std::remove_if(models.begin(), models.end(),
                                     [&](const auto& model) { return model.name == name; });
    if (gone == models.end()) return false;
    models.erase(gone, models.end());
    store_topic_catalogue(database, models);
    return true;
}

void clear_topic_keys(Xapian::WritableDatabase& database, const std::string& id) {
    const std::string prefix = topic_key(id, ":");
    std::vector<std::string> keys;
    for (auto key = database.metadata_keys_begin(prefix); key != database.metadata_keys_end(prefix);
         ++key) {
        keys.push_back(*key);
    }
    // The record last: while it is there, a later run knows that something is left.
    const std::string record = topic_key(id, kTopicRecordEnding);
    for (const std::string& key : keys) {
        if (key != record) database.set_metadata(key, "");
    }
    database.set_metadata(record, "");
}

unsigned free_topic_slot(const std::vector<Xapian::Database>& shards,
                         const IndexSettings& settings) {
    std::set<unsigned> taken;
    for (const FieldSettings& field : settings.fields) {
        if (field.slot != FieldSettings::kNoSlot) taken.insert(static_cast<unsigned>(field.slot));
    }
    for (const Xapian::Database& shard : shards) {
        if (const auto records = load_document_records(shard)) taken.insert(records->slot);
        for (const std::string& id : recorded_topic_models(shard)) {
            if (const auto record = intact_topic_record(shard, id)) taken.insert(record->slot);
        }
    }
    const auto used = [&](unsigned slot) {
        return taken.contains(slot) ||
               std::any_of(shards.begin(), shards.end(), [&](const Xapian::Database& shard) {
                   return shard.get_value_freq(slot) > 0;
               });
    };
    unsigned slot = kFirstTopicSlot;
    while (used(slot)) ++slot;
    return slot;
}

}  // namespace braid

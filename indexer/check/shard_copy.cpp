// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/shard_copy.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

using Keys = std::set<std::string>;

// Damaged keys that all shards have the same.
Keys shared_keys(const ShardDamage& damage) {
    Keys keys;
    if (damage.settings) keys.insert(kIndexSettingsKey);
    if (damage.catalogue) keys.insert(kTopicCatalogueKey);
    if (damage.names) keys.insert(kDocumentNamesKey);
    if (damage.installed) keys.insert(kFusionModelKey);
    if (damage.place_of_records) keys.insert(kDocumentRecordsKey);
    for (const ModelDamage& model : damage.models) {
        const std::string& id = model.identity.id;
        if (model.record) keys.insert(topic_key(id, kTopicRecordEnding));
        if (model.summary) keys.insert(topic_key(id, kTopicWordsEnding));
        keys.insert(model.words.begin(), model.words.end());
    }
    return keys;
}

// The words of `other` that `target` lacks.
void add_missing_words(const Xapian::Database& target, const std::string& id,
                       const Xapian::Database& other, Keys& keys) {
    const std::string prefix = topic_key(id, kTopicTermEnding);
    for (auto at = other.metadata_keys_begin(prefix); at != other.metadata_keys_end(prefix); ++at) {
        if (target.get_metadata(*at).empty()) keys.insert(*at);
    }
}

// Whether `target` has a record, damaged or not, of every model that `other` lists.
bool has_models_of(const Xapian::Database& target, const Xapian::Database& other) {
    const std::vector<TopicModelIdentity> models = load_topic_catalogue(other);
    return std::none_of(models.begin(), models.end(), [&](const TopicModelIdentity& model) {
        return target.get_metadata(topic_key(model.id, kTopicRecordEnding)).empty();
    });
}

}  // namespace

std::size_t copy_shared_keys(Xapian::WritableDatabase& target, const ShardDamage& damage,
                             const Xapian::Database& other, const ShardDamage& damage_of_other) {
    Keys keys = shared_keys(damage);
    for (const ModelDamage& model : damage.models) {
        if (model.vocabulary) add_missing_words(target, model.identity.id, other, keys);
    }
    const Keys damaged = shared_keys(damage_of_other);
    std::size_t copied = 0;
    for (const std::string& key : keys) {
        if (damaged.contains(key)) continue;
        if (key == kTopicCatalogueKey && !has_models_of(target, other)) continue;
        const std::string bytes = other.get_metadata(key);
        if (bytes.empty() || bytes == target.get_metadata(key)) continue;
        target.set_metadata(key, bytes);
        ++copied;
    }
    if (copied > 0) target.commit();
    return copied;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/shard_repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/clusters.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/indexer/check/shard_check.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/progress.h"

namespace braid {
namespace {

constexpr std::size_t kBatch = 10'000;

bool is_indexed_by_braid(const Xapian::Database& database) {
    try {
        return load_index_settings(database).has_value();
    } catch (const FormatError&) {
        return true;
    }
}

}  // namespace

ShardRepair::ShardRepair(const std::string& spec, const std::string& sidecar,
                         const Progress& progress)
    : shard_(spec, sidecar, kBatch), progress_(progress) {}

void ShardRepair::keep_going() const {
    if (progress_ && !progress_({"repairing", 0, 0, "", shard_.spec()})) {
        throw Cancelled("stopped: the same command repairs the rest");
    }
}

std::vector<std::string> ShardRepair::run(const ShardDamage& damage) {
    if (damage.names) mend_names();
    if (damage.stemmers) {
        shard_.target().set_metadata(kStemmersKey, "");
        say("removed the record of stemmers, which another Xapian's would have been compared with");
    }
    if (damage.catalogue) mend_catalogue();
    if (damage.installed) {
        remove_fusion_model(shard_.target());
        say("removed the installed model: searches that name no model rank by BM25 until one is "
            "installed");
    }
    if (damage.history) {
        store_installed_models(shard_.target(), {});
        say("removed the list of installed models; the one that ranks stays");
    }
    for (const ModelDamage& model : damage.models) {
        if (model.record) {
            remove_model(model);
        } else {
            mend_model(model);
        }
    }
    shard_.target().commit();
    mend_records(damage);
    clear_leftovers(damage);
    return done_;
}

void ShardRepair::mend_names() {
    Xapian::WritableDatabase& target = shard_.target();
    if (is_indexed_by_braid(target)) {
        store_document_names(target, {DocumentNameSource::Kind::kValue, {}, kNameSlot});
        say("documents' names are in value slot 0 again, where `braid index` writes them");
    } else {
        target.set_metadata(kDocumentNamesKey, "");
        say("removed the record of where documents' names are: give it again (`braid adopt --id`)");
    }
}

// Of two models of one name the later one.
void ShardRepair::mend_catalogue() {
    std::map<std::string, std::pair<std::uint64_t, std::string>> newest;
    for (const std::string& id : recorded_topic_models(shard_.target())) {
        const auto record = intact_topic_record(shard_.target(), id);
        if (!record) continue;
        auto& [time, found] = newest[record->name];
        if (found.empty() || record->trained_at > time) {
            time = record->trained_at;
            found = id;
        }
    }
    std::vector<TopicModelIdentity> models;
    std::string names;
    for (const auto& [name, found] : newest) {
        models.push_back({name, found.second});
        names += (names.empty() ? "" : ", ") + name;
    }
    store_topic_catalogue(shard_.target(), models);
    shard_.target().commit();
    say(models.empty() ? "removed the list of topic models, of which none is there"
                       : "made the list of topic models again from their records: " + names);
}

void ShardRepair::remove_model(const ModelDamage& model) {
    Xapian::WritableDatabase& target = shard_.target();
    withdraw_topic_model(target, model.identity.name);
    drop_from_ranking(target, model.identity.name);
    target.commit();
    shard_.clear(model.identity.id, [this] { keep_going(); });
    say(
        fmt::format("removed the topic model {}, whose record is damaged: learn it again (`braid "
                    "adopt`)",
                    model.identity.name));
}

void ShardRepair::mend_model(const ModelDamage& model) {
    Xapian::WritableDatabase& target = shard_.target();
    const std::string& name = model.identity.name;
    if (model.summary) {
        target.set_metadata(topic_key(model.identity.id, kTopicWordsEnding),
                            serialise(TopicSummary{}));
        say(
            fmt::format("{}: removed the topics' words for people; `braid adopt --retrain` brings "
                        "them back",
                        name));
    }
    if (model.use) {
        target.set_metadata(topic_key(model.identity.id, kTopicUseEnding), "");
        say(fmt::format("{}: counts documents folded in from 0 again", name));
    }
    if (!model.words.empty() || model.vocabulary) mend_words(model);
    target.commit();
    if (model.clusters) shard_.clear_clusters(model.identity.id, [this] { keep_going(); });
    if (!model.vectors.empty()) mend_vectors(model);
    if (model.clusters || !model.cluster_terms.empty()) mend_clusters(model);
}

void ShardRepair::mend_words(const ModelDamage& model) {
    Xapian::WritableDatabase& target = shard_.target();
    for (const std::string& key : model.words) target.set_metadata(key, "");
    TopicRecord record = load_topic_record(target, model.identity.id);
    const std::string prefix = topic_key(model.identity.id, kTopicTermEnding);
    const std::uint64_t before = record.vocabulary;
    record.vocabulary = 0;
    for (auto at = target.metadata_keys_begin(prefix); at != target.metadata_keys_end(prefix); ++at)
        ++record.vocabulary;
    renew_topic_record(target, model.identity.id, record);
    say(
        fmt::format("{}: knows {} words instead of {}, those whose vectors are whole; learn it "
                    "again (`braid adopt --retrain`)",
                    model.identity.name, record.vocabulary, before));
}

// Only who made given vectors can make them again.
void ShardRepair::mend_vectors(const ModelDamage& model) {
    const TopicRecord record = load_topic_record(shard_.target(), model.identity.id);
    remove_values(shard_, record.slot, model.vectors);
    if (record.header.model == kNeighboursModel) {
        say(fmt::format(
            "{}: removed {} damaged lists of neighbours; `braid adopt` finds them again",
            model.identity.name, model.vectors.size()));
        return;
    }
    if (record.header.model == kVectorsModel) {
        say(fmt::format("{}: removed {} damaged vectors; give them again (`braid adopt --vectors`)",
                        model.identity.name, model.vectors.size()));
        return;
    }
    StoredTopicModel stored(shard_.target(), model.identity);
    const VectorCounts counts = shard_.write_vectors(
        stored, [](Xapian::docid, Xapian::termcount) { return std::span<const float>(); },
        progress_);
    say(fmt::format("{}: made {} vectors of documents again from their words, {} of them damaged",
                    model.identity.name, counts.written, model.vectors.size()));
}

void ShardRepair::mend_clusters(const ModelDamage& model) {
    const TopicRecord record = load_topic_record(shard_.target(), model.identity.id);
    if (model.clusters) {
        const FloatMatrix vectors = read_vectors(shard_.target(), model.identity.id, record);
        Clusters found =
            fit_clusters(vectors, {.clusters = record.clusters, .coding = record.coding},
                         *make_executor(0), progress_);
        shard_.target().set_metadata(
            topic_key(model.identity.id, kTopicClustersEnding),
            found.radius.empty()
                ? ""
                : serialise(TopicClusters{std::move(found.centroids), std::move(found.radius)}));
        shard_.target().commit();
    }
    const std::size_t written =
        write_clusters(shard_, model.identity.id, record,
                       model.clusters ? std::nullopt : std::optional(model.cluster_terms));
    say(model.clusters ? fmt::format("{}: made its clusters again from the documents' vectors",
                                     model.identity.name)
                       : fmt::format("{}: put {} documents into the cluster of their vector",
                                     model.identity.name, written));
}

void ShardRepair::mend_records(const ShardDamage& damage) {
    Xapian::WritableDatabase& target = shard_.target();
    if (damage.place_of_records) {
        const std::size_t removed = remove_lost_records(shard_);
        target.set_metadata(kDocumentRecordsKey, "");
        target.commit();
        say(fmt::format("removed {} records of documents, whose slot is unknown", removed));
    } else if (!damage.records.empty()) {
        remove_values(shard_, load_document_records(target)->slot, damage.records);
        say(fmt::format("removed {} damaged records of documents", damage.records.size()));
    }
    needs_statistics_ = damage.place_of_records || !damage.records.empty();
}

void ShardRepair::clear_leftovers(const ShardDamage& damage) {
    if (damage.leftovers) {
        shard_.clear_leftovers("", [this] { keep_going(); });
        say("cleared what unfinished work left");
    }
    for (const std::string& key : damage.left_keys) shard_.target().set_metadata(key, "");
    shard_.target().commit();
    if (!damage.left_keys.empty()) {
        say(fmt::format("removed {} keys of topic models that are not there",
                        damage.left_keys.size()));
    }
    if (damage.left_terms.empty()) return;
    shard_.remove_terms(damage.left_terms, [this] { keep_going(); });
    say(fmt::format("removed {} terms of clusters that are not there", damage.left_terms.size()));
}

namespace {

using Keys = std::set<std::string>;

// Damaged keys that all shards have the same.
Keys shared_keys(const ShardDamage& damage) {
    Keys keys;
    if (damage.settings) keys.insert(kIndexSettingsKey);
    if (damage.catalogue) keys.insert(kTopicCatalogueKey);
    if (damage.names) keys.insert(kDocumentNamesKey);
    if (damage.stemmers) keys.insert(kStemmersKey);
    if (damage.installed) keys.insert(kFusionModelKey);
    if (damage.history) keys.insert(kInstalledModelsKey);
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

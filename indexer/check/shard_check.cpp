// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/shard_check.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// Records and models take the first free slot, which is within so many.
constexpr unsigned kSlotsLookedAt = 1000;

}  // namespace

void remove_values(TopicShard& shard, unsigned slot, const std::vector<Xapian::docid>& documents) {
    Xapian::WritableDatabase& target = shard.target();
    shard.in_batches(documents.size(), [&](std::size_t i) {
        Xapian::Document document = target.get_document(documents[i]);
        document.remove_value(slot);
        target.replace_document(documents[i], document);
    });
}

std::size_t remove_lost_records(TopicShard& shard) {
    const Xapian::WritableDatabase& target = shard.target();
    std::size_t removed = 0;
    for (unsigned slot = kFirstTopicSlot; slot < kFirstTopicSlot + kSlotsLookedAt; ++slot) {
        std::vector<Xapian::docid> documents;
        const auto end = target.valuestream_end(slot);
        for (auto value = target.valuestream_begin(slot); value != end; ++value) {
            if (is_marked_record(*value)) documents.push_back(value.get_docid());
        }
        remove_values(shard, slot, documents);
        removed += documents.size();
    }
    return removed;
}

FloatMatrix read_vectors(const Xapian::Database& database, const std::string& id,
                         const TopicRecord& record) {
    FloatMatrix vectors(0, record.header.dimensions);
    const std::uint8_t tag = topic_model_tag(id);
    const auto end = database.valuestream_end(record.slot);
    for (auto value = database.valuestream_begin(record.slot); value != end; ++value) {
        const std::string bytes = *value;
        const auto stored = try_open_vector(bytes, vectors.columns);
        if (!stored || stored->info.model_tag != tag) continue;
        vectors.values.resize(vectors.values.size() + vectors.columns);
        decode_vector(*stored, vectors.row(vectors.rows++));
    }
    return vectors;
}

std::size_t write_clusters(TopicShard& shard, const std::string& id, const TopicRecord& record,
                           const std::optional<std::vector<Xapian::docid>>& documents) {
    Xapian::WritableDatabase& target = shard.target();
    std::vector<Xapian::docid> all;
    if (documents) {
        all = *documents;
    } else {
        const auto end = target.valuestream_end(record.slot);
        for (auto value = target.valuestream_begin(record.slot); value != end; ++value) {
            all.push_back(value.get_docid());
        }
    }
    ClusterTerms clusters(target, id, record.header.dimensions);
    shard.in_batches(all.size(), [&](std::size_t i) {
        Xapian::Document document = target.get_document(all[i]);
        const std::string stored = document.get_value(record.slot);
        if (!try_open_vector(stored, record.header.dimensions)) return;
        clusters.assign(document, stored);
        clusters.write(target);  // Only where one has to be wider, which is rare.
        target.replace_document(all[i], document);
    });
    return all.size();
}

namespace {

using Kind = CheckFinding::Kind;

constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kIdDigitsOfTerms = 8;
constexpr char kClusterPrefix[] = "XBRAID";

std::string key(const std::string& name) { return "metadata key " + name; }

}  // namespace

bool ShardDamage::any() const {
    return settings || names || stemmers || catalogue || installed || history || place_of_records ||
           !records.empty() || !models.empty() || leftovers || !left_keys.empty() ||
           !left_terms.empty() || table_file;
}

void ShardCheck::run() {
    if (is_sidecar_) {
        check_sidecar();
    } else {
        log_.report().documents += source_.get_doccount();
        check_settings();
    }
    damage_.names = !log_.read(key(kDocumentNamesKey), [&] { load_document_names(target_); });
    damage_.stemmers = !log_.read(key(kStemmersKey), [&] { load_stemmers(target_); });
    check_catalogue();
    check_models();
    log_.read("the list of metadata keys and terms", [&] { check_leftovers(); });
    check_installed();
    if (!is_sidecar_) check_records();
    check_table_file();
}

void ShardCheck::check_table_file() {
    const TableFileState state = look_at_table_file(target_);
    damage_.table_file = state.is_damaged;
    if (state.note.empty()) return;
    log_.add(state.is_damaged ? Kind::kDamaged : Kind::kNote,
             std::string("file ") + TableFile::kName, state.note);
}

void ShardCheck::check_sidecar() {
    log_.read(key(kSidecarKey), [&] {
        const std::string uuid = sidecar_uuid(target_);
        if (uuid == source_.get_uuid()) return;
        log_.add(
            Kind::kDamaged, key(kSidecarKey),
            fmt::format("found the UUID '{}', expected the database's, {}", uuid,
                        source_.get_uuid()),
            "it is another database's sidecar, or that was compacted or copied: make a new one "
            "with `braid adopt --sidecar`");
    });
}

void ShardCheck::check_settings() {
    damage_.settings = !log_.read(
        key(kIndexSettingsKey),
        [&] {
            const auto settings = load_index_settings(source_);
            common_.emplace_back("index settings", settings ? serialise(*settings) : "");
        },
        "nothing else in it says how its words were made: repair it together with its other "
        "shards, "
        "or index it anew (`braid index --rebuild`)");
}

void ShardCheck::check_catalogue() {
    damage_.catalogue = !log_.read(key(kTopicCatalogueKey), [&] {
        catalogue_ = load_topic_catalogue(target_);
        std::string named;
        std::set<std::string> names;
        for (const TopicModelIdentity& model : catalogue_) {
            named += model.name + " " + model.id + "\n";
            if (names.insert(model.name).second) continue;
            throw FormatError(
                fmt::format("{}: two models are called '{}'", key(kTopicCatalogueKey), model.name));
        }
        common_.emplace_back("topic models", named);
    });
    if (damage_.catalogue) catalogue_.clear();
    log_.report().models += catalogue_.size();
}

void ShardCheck::check_models() {
    for (const TopicModelIdentity& identity : catalogue_) {
        ModelCheck model(source_, target_, identity, log_);
        model.run();
        if (model.damage().any()) damage_.models.push_back(model.damage());
        common_.emplace_back("records of the topic model " + identity.name, model.record_bytes());
    }
}

// Keys and terms of models that the catalogue doesn't name.
void ShardCheck::check_leftovers() {
    if (damage_.catalogue) return;  // They may be all that is left.
    std::set<std::string> ids;
    for (const TopicModelIdentity& model : catalogue_) ids.insert(model.id);
    for (const std::string& id : recorded_topic_models(target_)) {
        if (!ids.insert(id).second) continue;
        damage_.leftovers = true;
        log_.add(Kind::kNote, key(topic_key(id, kTopicRecordEnding)),
                 "unfinished work left it: no search uses it, and the next command that writes "
                 "topics finishes or clears it");
    }
    find_left_keys(ids);
    find_left_terms(ids);
}

void ShardCheck::find_left_keys(const std::set<std::string>& ids) {
    const std::string prefix = kTopicKeyPrefix;
    for (auto at = target_.metadata_keys_begin(prefix); at != target_.metadata_keys_end(prefix);
         ++at) {
        const std::string name = *at;
        const std::size_t colon = prefix.size() + kIdDigits;
        if (name.size() <= colon || name[colon] != ':') continue;
        if (!ids.contains(name.substr(prefix.size(), kIdDigits))) damage_.left_keys.insert(name);
    }
    if (damage_.left_keys.empty()) return;
    log_.add(
        Kind::kNote, key(*damage_.left_keys.begin()),
        fmt::format("{} keys are of topic models that are not there", damage_.left_keys.size()));
}

void ShardCheck::find_left_terms(const std::set<std::string>& ids) {
    std::set<std::string> known;
    for (const std::string& id : ids) known.insert(cluster_prefix(id));
    const std::string prefix = kClusterPrefix;
    for (auto at = target_.allterms_begin(prefix); at != target_.allterms_end(prefix); ++at) {
        const std::string term = *at;
        const std::size_t colon = term.find(':');
        if (colon != prefix.size() + kIdDigitsOfTerms) continue;
        if (!known.contains(term.substr(0, colon + 1))) damage_.left_terms.insert(term);
    }
    if (damage_.left_terms.empty()) return;
    log_.add(Kind::kNote, "term " + *damage_.left_terms.begin(),
             fmt::format("{} terms are clusters of topic models that are not there",
                         damage_.left_terms.size()));
}

// The ranking that searches take if they name none.
void ShardCheck::check_installed() {
    damage_.installed = !log_.read(key(kFusionModelKey), [&] {
        const std::optional<FusionModel> model = load_fusion_model(target_);
        common_.emplace_back("installed models", model ? fusion_model_to_bytes(*model) : "");
        if (!model) return;
        model_function(*model);
        if (!damage_.catalogue) check_installed_topics(*model);
    });
    damage_.history = !log_.read(key(kInstalledModelsKey), [&] {
        const std::string bytes = target_.get_metadata(kInstalledModelsKey);
        if (!bytes.empty()) parse_installed_models(bytes, key(kInstalledModelsKey));
        common_.emplace_back("lists of installed models", bytes);
    });
}

void ShardCheck::check_installed_topics(const FusionModel& model) const {
    const auto find = [&](const std::string& name) {
        return std::find_if(catalogue_.begin(), catalogue_.end(),
                            [&](const auto& there) { return there.name == name; });
    };
    for (const RankerSpec& spec : model.rankers) {
        const std::string topics = topic_model_of(spec);
        if (topics.empty() || find(topics) != catalogue_.end()) continue;
        throw ModelMismatch(fmt::format(
            "{}: ranker {} of the installed model needs the topic model '{}', which is not there",
            key(kFusionModelKey), spec.label(), topics));
    }
    for (const TopicModelIdentity& wanted : model.provenance.topic_models) {
        const auto there = find(wanted.name);
        if (there == catalogue_.end() || there->id == wanted.id) continue;
        throw ModelMismatch(fmt::format(
            "{}: the installed model was learned with the topic model {} of id {}, found id {}",
            key(kFusionModelKey), wanted.name, wanted.id, there->id));
    }
}

struct ShardCheck::RecordCounts {
    std::uint64_t missing = 0;
    std::uint64_t outdated = 0;
    std::uint64_t unchecked = 0;
};

void ShardCheck::check_records() {
    std::optional<DocumentRecords> records;
    damage_.place_of_records =
        !log_.read(key(kDocumentRecordsKey), [&] { records = load_document_records(source_); });
    if (!records) return;
    std::string place = fmt::format("slot {}", records->slot);
    for (const RecordedField& field : records->fields) place += " " + field.name + field.prefix;
    common_.emplace_back("places of records", place);
    const std::string where = fmt::format("value slot {} (records)", records->slot);
    RecordCounts counts;
    std::uint64_t documents = 0;
    log_.read(where, [&] {
        auto value = source_.valuestream_begin(records->slot);
        const auto end = source_.valuestream_end(records->slot);
        for (auto document = source_.postlist_begin(""); document != source_.postlist_end("");
             ++document) {
            log_.tick("checking records", documents++, source_.get_doccount());
            if (value != end && value.get_docid() < *document) value.skip_to(*document);
            if (value == end || value.get_docid() != *document) {
                ++counts.missing;
            } else {
                check_record(*document, *value, document.get_doclength(), *records, counts);
            }
        }
    });
    if (!damage_.records.empty()) {
        log_.add(Kind::kDamaged, where,
                 fmt::format("{} records of documents are damaged, or not what the document's "
                             "words make; the first is that of document {}",
                             damage_.records.size(), damage_.records.front()));
    }
    const std::string again = ": `braid adopt --statistics` makes them";
    log_.note(counts.missing, where, "documents have no record" + again);
    log_.note(counts.outdated, where, "records are outdated" + again + " anew");
    log_.note(counts.unchecked, where, "records have no checksum: an older Braid wrote them");
}

void ShardCheck::check_record(Xapian::docid docid, const std::string& bytes,
                              Xapian::termcount length, const DocumentRecords& records,
                              RecordCounts& counts) {
    ++log_.report().records;
    std::vector<FieldRecord> fields(records.fields.size());
    const auto record = try_document_record(bytes, fields);
    if (!record) {
        damage_.records.push_back(docid);
        return;
    }
    if (!is_record_checked(bytes)) ++counts.unchecked;
    if (record->length != length || record->fields_tag != records.fields_tag()) {
        ++counts.outdated;
        return;
    }
    FullRecord expected = make_document_record(source_.get_document(docid), records);
    // Terms of clusters come and go behind a record.
    expected.document.unique_terms = record->unique_terms;
    if (!(FullRecord{*record, fields} == expected)) damage_.records.push_back(docid);
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/error.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

constexpr StoredFormat kCatalogueFormat{
    .magic = "BrTC", .version = 2, .kind = "list of topic models", .checked_from = 2};
constexpr std::size_t kIdDigits = 16;
// A model takes the first free slot, so its vectors are within so many, and most of what is in its
// slot is its own.
constexpr unsigned kSlotsLookedAt = 1000;
constexpr std::size_t kValuesLookedAt = 100;

constexpr std::size_t kLengthBytes = 8;

// Depends on the version of the vector behind the length.
bool is_term_vector_checked(std::string_view bytes) {
    return bytes.size() > kLengthBytes && is_vector_checked(bytes.substr(kLengthBytes));
}

std::string where_of(const std::string& key) { return "metadata key " + key; }

std::string read_key(const Xapian::Database& database, const std::string& id, const char* ending) {
    std::string bytes = database.get_metadata(topic_key(id, ending));
    if (bytes.empty()) {
        throw ModelMismatch(
            fmt::format("the database holds no topic model {}: there is no "
                        "metadata key {}",
                        id, topic_key(id, ending)));
    }
    return bytes;
}

void add_floats(Fnv1a& hash, const std::vector<float>& values) {
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const char bytes[4] = {static_cast<char>(bits), static_cast<char>(bits >> 8),
                               static_cast<char>(bits >> 16), static_cast<char>(bits >> 24)};
        hash.add({bytes, sizeof bytes});
    }
}

}  // namespace

std::vector<TopicModelIdentity> load_topic_catalogue(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kTopicCatalogueKey);
    if (bytes.empty()) return {};
    auto [version, in] = read_stored(kCatalogueFormat, bytes, where_of(kTopicCatalogueKey));
    std::vector<TopicModelIdentity> models(in.count("topic models", 2));
    for (TopicModelIdentity& model : models) {
        model.name = in.text("name");
        model.id = in.text("id");
        if (model.id.size() != kIdDigits) in.fail("id", "found '" + model.id + "'");
    }
    in.finish();
    return models;
}

void store_topic_catalogue(Xapian::WritableDatabase& database,
                           const std::vector<TopicModelIdentity>& models) {
    ByteWriter body;
    body.varint(models.size());
    for (const TopicModelIdentity& model : models) {
        body.text(model.name);
        body.text(model.id);
    }
    database.set_metadata(kTopicCatalogueKey,
                          models.empty() ? "" : write_stored(kCatalogueFormat, body));
}

TopicModelIdentity find_topic_model(const Xapian::Database& database, const std::string& name) {
    std::vector<std::string> names;
    for (const TopicModelIdentity& model : load_topic_catalogue(database)) {
        if (model.name == name) return model;
        names.push_back(model.name);
    }
    throw ModelMismatch(fmt::format(
        "the database has no topic model called '{}': {}", name,
        names.empty() ? "it has none; `braid adopt` makes one from the database's own words"
                      : fmt::format("it has {}", fmt::join(names, ", "))));
}

std::vector<std::string> recorded_topic_models(const Xapian::Database& database) {
    const std::string prefix = kTopicKeyPrefix;
    std::vector<std::string> ids;
    auto key = database.metadata_keys_begin(prefix);
    const auto end = database.metadata_keys_end(prefix);
    while (key != end) {
        const std::string text = *key;
        const std::string id = text.substr(prefix.size(), kIdDigits);
        if (text == topic_key(id, kTopicRecordEnding)) {
            ids.push_back(id);
            key.skip_to(prefix + id + ";");  // past all "{id}:..."
        } else {
            ++key;
        }
    }
    return ids;
}

std::string topic_key(std::string_view id, std::string_view ending) {
    std::string key = kTopicKeyPrefix;
    key += id;
    return key += ending;
}

TopicRecord load_topic_record(const Xapian::Database& database, const std::string& id) {
    return parse_topic_record(read_key(database, id, kTopicRecordEnding),
                              where_of(topic_key(id, kTopicRecordEnding)));
}

std::optional<TopicRecord> intact_topic_record(const Xapian::Database& database,
                                               const std::string& id) {
    try {
        return load_topic_record(database, id);
    } catch (const NewerFormat&) {
        throw;
    } catch (const FormatError&) {
        return std::nullopt;
    } catch (const ModelMismatch&) {
        return std::nullopt;
    }
}

bool is_marked_vector(std::string_view value, std::uint8_t tag) {
    return value.size() > 1 && is_vector_start(value[0]) &&
           static_cast<std::uint8_t>(value[1]) == tag;
}

std::vector<unsigned> slots_marked_as(const Xapian::Database& database, const std::string& id) {
    const std::uint8_t tag = topic_model_tag(id);
    std::set<unsigned> others;
    for (const std::string& other : recorded_topic_models(database)) {
        const auto record = other == id ? std::nullopt : intact_topic_record(database, other);
        if (record) others.insert(record->slot);
    }
    std::vector<unsigned> slots;
    for (unsigned slot = kFirstTopicSlot; slot < kFirstTopicSlot + kSlotsLookedAt; ++slot) {
        if (others.contains(slot) || database.get_value_freq(slot) == 0) continue;
        const auto end = database.valuestream_end(slot);
        std::size_t looked_at = 0;
        for (auto value = database.valuestream_begin(slot);
             value != end && looked_at < kValuesLookedAt; ++value, ++looked_at) {
            if (!is_marked_vector(*value, tag)) continue;
            slots.push_back(slot);
            break;
        }
    }
    return slots;
}

TopicSummary load_topic_summary(const Xapian::Database& database, const std::string& id) {
    return parse_topic_summary(read_key(database, id, kTopicWordsEnding),
                               where_of(topic_key(id, kTopicWordsEnding)));
}

TopicUse load_topic_use(const Xapian::Database& database, const std::string& id) {
    const std::string key = topic_key(id, kTopicUseEnding);
    const std::string bytes = database.get_metadata(key);
    return bytes.empty() ? TopicUse{} : parse_topic_use(bytes, where_of(key));
}

std::string topic_model_id(const TopicRecord& record, const TopicModel& model) {
    Fnv1a hash;
    hash.add(identity_bytes(record));
    for (const std::string& term : model.vocabulary) {
        hash.add(term);
        hash.add({"\0", 1});
    }
    add_floats(hash, model.term_vectors.values);
    add_floats(hash, model.document_vectors.values);
    return hash.digits();
}

std::uint8_t topic_model_tag(std::string_view id) {
    Fnv1a hash;
    hash.add(id);
    return static_cast<std::uint8_t>(hash.value() >> 32);
}

std::string encode_term_vector(std::span<const float> vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    const double length = std::sqrt(squares);
    std::vector<float> direction(vector.begin(), vector.end());
    for (float& x : direction) x = length > 0 ? static_cast<float>(x / length) : 0.0F;
    ByteWriter out;
    out.real(length);
    std::string bytes = out.bytes() + encode_vector({.coding = VectorCoding::kFloat16}, direction);
    append_checksum(bytes);
    return bytes;
}

void decode_term_vector(std::string_view bytes, std::string_view where, std::span<float> result) {
    if (is_term_vector_checked(bytes)) bytes = without_checksum(bytes, where);
    ByteReader in(bytes, std::string(where));
    const double length = in.finite_real("length");
    if (length < 0) in.fail("length", "found a negative one");
    const StoredVector stored =
        open_vector(in.raw("direction", in.remaining()), result.size(), where);
    if (stored.info.coding != VectorCoding::kFloat16) in.fail("coding", "expected binary16");
    decode_vector(stored, result);
    for (float& x : result) {
        x = static_cast<float>(length * static_cast<double>(x));
        if (!std::isfinite(x)) in.fail("components", "found one that is not finite");
    }
}

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

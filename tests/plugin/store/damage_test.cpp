// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that Braid stores, byte by byte: damage is refused, older versions are read, and newer
// ones stand where older programs look for a version.
#include "braid/tests/support/damage.h"

#include <bit>
#include <cstdint>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/store/topic_samples.h"

using namespace braid;

namespace {

struct Stored {
    std::string name;
    std::string bytes;
    unsigned old_version = 0;  ///< The last without a checksum; 0: there is none.
    test::ReadForm read;
};

// `rewrite` reads bytes and writes what it read.
test::ReadForm form(const std::function<std::string(const std::string&)>& rewrite) {
    return [rewrite](const std::string& bytes) -> std::optional<std::string> {
        if (bytes.empty()) return std::nullopt;  // Nothing is stored.
        try {
            return rewrite(bytes);
        } catch (const FormatError&) {
            return std::nullopt;
        }
    };
}

// Of what is read from a database alone.
test::ReadForm form_of_key(const char* key,
                           const std::function<std::string(Xapian::WritableDatabase&)>& rewrite) {
    return form([=](const std::string& bytes) {
        Xapian::WritableDatabase database = test::memory_database();
        database.set_metadata(key, bytes);
        return rewrite(database);
    });
}

std::string metadata_of(const char* key,
                        const std::function<void(Xapian::WritableDatabase&)>& write) {
    Xapian::WritableDatabase database = test::memory_database();
    write(database);
    return database.get_metadata(key);
}

TopicClusters sample_clusters() {
    TopicClusters clusters;
    clusters.centroids = FloatMatrix(2, 2);
    clusters.centroids.values = {1, 0, 0.6F, 0.8F};
    clusters.radius = {0.5F, -1};
    return clusters;
}

FusionModel sample_model() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25", .parameters = {{"k1", 1.5}}, .weight = 2}};
    model.provenance.learner = "genm-bat";
    model.provenance.topic_models = {{"lsa", "0123456789abcdef"}};
    return model;
}

std::vector<InstalledModel> sample_installs() {
    return {{.time = 1'700'000'000,
             .by = "braid train",
             .measure = "map",
             .queries = 30,
             .figures = {{"learned", 0.7}, {"bm25", 0.5, 0.01}},
             .model = sample_model()},
            {.note = "not in the list of installations"}};
}

const std::vector<TopicModelIdentity>& sample_catalogue() {
    static const std::vector<TopicModelIdentity> models = {{"lsa", "0123456789abcdef"},
                                                           {"lda", "00ff00ff00ff00ff"}};
    return models;
}

const DocumentRecords& sample_place() {
    static const DocumentRecords place{1003, WordForm::kWords, {{"title", "S", 7, 30}}};
    return place;
}

std::vector<Stored> metadata_values() {
    const std::string where = "metadata key braid:x";
    const auto store_names = [](Xapian::WritableDatabase& database) {
        store_document_names(database, DocumentNameSource::parse("term:Q"));
    };
    IndexSettings settings;
    settings.fields = {{.name = "title", .prefix = "S"}};
    return {
        {"topic record", serialise(test::sample_record()), 1,
         form([=](const std::string& b) { return serialise(parse_topic_record(b, where)); })},
        {"summary", serialise(test::sample_summary()), 1,
         form([=](const std::string& b) { return serialise(parse_topic_summary(b, where)); })},
        {"use", serialise(TopicUse{300, 1e6, 2.5}), 1,
         form([=](const std::string& b) { return serialise(parse_topic_use(b, where)); })},
        {"clusters", serialise(sample_clusters()), 1,
         form([=](const std::string& b) { return serialise(parse_topic_clusters(b, where)); })},
        {"index settings", serialise(settings), 1,
         form([=](const std::string& b) { return serialise(parse_index_settings(b, where)); })},
        // Older versions of it: fusion_model_test.cpp.
        {"installed model", fusion_model_to_bytes(sample_model()), 0,
         form([=](const std::string& b) {
             return fusion_model_to_bytes(fusion_model_from_bytes(b, where));
         })},
        {"installed models", serialise(sample_installs()), 0,
         form([=](const std::string& b) { return serialise(parse_installed_models(b, where)); })},
        {"catalogue",
         metadata_of(kTopicCatalogueKey,
                     [](auto& database) { store_topic_catalogue(database, sample_catalogue()); }),
         1,
         form_of_key(kTopicCatalogueKey,
                     [](auto& database) {
                         store_topic_catalogue(database, load_topic_catalogue(database));
                         return database.get_metadata(kTopicCatalogueKey);
                     })},
        {"place of records",
         metadata_of(kDocumentRecordsKey,
                     [](auto& database) { store_document_records(database, sample_place()); }),
         2,
         form_of_key(kDocumentRecordsKey,
                     [](auto& database) {
                         store_document_records(database, *load_document_records(database));
                         return database.get_metadata(kDocumentRecordsKey);
                     })},
        {"stemmers",
         metadata_of(kStemmersKey,
                     [](auto& database) {
                         store_stemmers(database, {{"german", 77, "1.4.22"}});
                     }),
         0,
         form_of_key(kStemmersKey,
                     [](auto& database) {
                         store_stemmers(database, load_stemmers(database));
                         return database.get_metadata(kStemmersKey);
                     })},
        {"documents' names", metadata_of(kDocumentNamesKey, store_names), 0,
         form_of_key(kDocumentNamesKey, [](auto& database) {
             store_document_names(database, *load_document_names(database));
             return database.get_metadata(kDocumentNamesKey);
         })}};
}

constexpr VectorCoding kCodings[] = {VectorCoding::kSigned8, VectorCoding::kUnsigned8,
                                     VectorCoding::kFloat16, VectorCoding::kFloat32};

const std::vector<float>& sample_vector() {
    static const std::vector<float> vector = {0.6F, 0, 0.8F};
    return vector;
}

std::string raw(const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xffU);
    }
    return bytes;
}

// What an opened vector is, whichever version its bytes are of.
std::string form_of_vector(const StoredVector& stored) {
    ByteWriter out;
    out.choice(stored.info.coding);
    out.varint(stored.info.model_tag);
    out.varint(stored.info.document_length);
    out.real(static_cast<double>(stored.scale));
    out.text(stored.codes);
    return out.bytes();
}

FullRecord sample_full_record(bool fields) {
    FullRecord record{{300, 12.5F, 77, 0}, {}};
    if (!fields) return record;
    record.document.fields_tag = 9;
    record.fields = {{200, 3.5F, 20}, {}, {4, 2, 3}};
    return record;
}

test::ReadForm form_of_records() {
    return [](const std::string& bytes) -> std::optional<std::string> {
        std::vector<FieldRecord> fields(3);
        const auto record = try_document_record(bytes, fields);
        if (!record) return std::nullopt;
        return encode_document_record({*record, fields});
    };
}

}  // namespace

TEST_CASE("Damage: no changed or truncated metadata reads as another value", "[property]") {
    for (const Stored& stored : metadata_values()) {
        REQUIRE(stored.read(stored.bytes) == stored.bytes);
        test::check_damage_shows(stored.name, stored.bytes, stored.read);
    }
}

TEST_CASE("Damage: no changed or truncated vector of a word reads as another", "[property]") {
    for (const std::size_t dimensions : {1U, 2U, 3U, 4U, 50U}) {
        std::vector<float> vector(dimensions, 3);
        vector[0] = -4;
        test::check_damage_shows(std::to_string(dimensions), encode_term_vector(vector),
                                 form([=](const std::string& bytes) {
                                     std::vector<float> decoded(dimensions);
                                     decode_term_vector(bytes, "key", decoded);
                                     return raw(decoded);
                                 }));
    }
}

TEST_CASE("Damage: no changed or truncated vector of a document reads as another", "[property]") {
    for (const VectorCoding coding : kCodings) {
        // One component in binary16 has, with its checksum, the bytes of one in binary32.
        for (const std::size_t dimensions : {2U, 3U, 4U, 6U, 100U}) {
            std::vector<float> vector(dimensions, 0);
            vector[0] = 0.6F;
            vector[1] = 0.8F;
            const test::ReadForm read = [=](const std::string& b) -> std::optional<std::string> {
                const auto stored = try_open_vector(b, dimensions);
                if (!stored) return std::nullopt;
                return form_of_vector(*stored);
            };
            test::check_damage_shows(
                std::to_string(static_cast<int>(coding)) + " of " + std::to_string(dimensions),
                encode_vector({coding, 3, 300}, vector), read);
        }
    }
}

TEST_CASE("Damage: no changed or truncated value of neighbours reads as another", "[property]") {
    const std::vector<std::int32_t> neighbours = {1, -7, 1'000'000, 0};
    const test::ReadForm read = [&](const std::string& bytes) -> std::optional<std::string> {
        const auto stored = try_open_vector(bytes, neighbours.size());
        if (!stored) return std::nullopt;
        std::string form = form_of_vector(*stored);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            form += " " + std::to_string(number_at(*stored, i));
        }
        return form;
    };
    const std::string bytes = encode_numbers({VectorCoding::kFloat32, 3, 300}, neighbours);
    REQUIRE(read(bytes)->ends_with(" 1 -7 1000000 0"));
    test::check_damage_shows("neighbours", bytes, read);
}

TEST_CASE("Damage: no changed or truncated record of a document reads as another", "[property]") {
    for (const bool fields : {false, true}) {
        test::check_damage_shows(fields ? "with fields" : "without",
                                 encode_document_record(sample_full_record(fields)),
                                 form_of_records());
    }
}

// Residual chance of the short checksum: 1 in 65,536 for damage of any other kind.
TEST_CASE("Damage: vectors with several bytes at random pass once in 65,536", "[property]") {
    Random random(test::seed());
    const std::string bytes = encode_vector({VectorCoding::kSigned8, 3, 300}, sample_vector());
    int passed = 0;
    constexpr int kTrials = 200'000;
    for (int i = 0; i < kTrials; ++i) {
        std::string changed = bytes;
        for (std::size_t at = 3; at < changed.size(); ++at) {
            changed[at] = static_cast<char>(random.bits());
        }
        if (changed != bytes && has_short_checksum(changed)) ++passed;
    }
    CHECK(passed < 20);  // 3.05 are expected; more than 20 come once in 10^11 runs.
}

TEST_CASE("Damage: metadata of older versions is read as before") {
    for (const Stored& stored : metadata_values()) {
        if (stored.old_version == 0) continue;
        INFO(stored.name);
        const std::string old = test::in_old_form(stored.bytes, stored.old_version);
        CHECK(stored.read(old) == stored.bytes);
        // Where older programs look for a version there is one that they refuse.
        CHECK(static_cast<unsigned>(stored.bytes[4]) == stored.old_version + 1);
    }
    Xapian::WritableDatabase database = test::memory_database();
    database.set_metadata(kDocumentNamesKey, "value:3");
    CHECK(load_document_names(database) == DocumentNameSource::parse("value:3"));
}

// Bytes worked by hand from the description of the format.
TEST_CASE("Damage: vectors and records of older versions are read as before") {
    const std::string scale = raw({1.0F});
    const std::string old = std::string("\xb3\x07\xac\x02", 4) + scale + raw(sample_vector());
    const StoredVector stored = open_vector(old, 3, "slot");
    CHECK(stored.info == VectorInfo{VectorCoding::kFloat32, 7, 300});
    CHECK(stored.codes == raw(sample_vector()));
    CHECK_FALSE(stored.is_checked);
    CHECK(open_vector(encode_vector(stored.info, sample_vector()), 3, "slot").is_checked);
    // Older programs look for the version in the third and fourth highest bits.
    CHECK((static_cast<unsigned char>(encode_vector(stored.info, sample_vector())[0]) >> 2 & 3U) ==
          1);

    ByteWriter length;
    length.real(5);
    // binary16 of 1 is 0x3c00.
    const std::string word = length.bytes() + std::string("\xb2\x00\x00", 3) + scale +
                             std::string("\x00\x00\x00\x3c\x00\x00", 6);
    std::vector<float> vector(3);
    decode_term_vector(word, "key", vector);
    CHECK(vector == std::vector<float>{0, 5, 0});

    const std::string plain = std::string("\xd1\xac\x02", 3) + raw({12.5F}) + "\x4d";
    CHECK(try_document_record(plain) == sample_full_record(false).document);
    CHECK_FALSE(is_record_checked(plain));
    const std::string fields = "\xd2" + plain.substr(1) + std::string("\x09\xc8\x01", 3) +
                               raw({3.5F}) + std::string("\x14\x00\x04", 3) + raw({2.0F}) + "\x03";
    CHECK(form_of_records()(fields) == encode_document_record(sample_full_record(true)));
    CHECK(is_record_checked(encode_document_record(sample_full_record(true))));
}

TEST_CASE("Damage: the message names the key, the checksums and the cure") {
    std::string bytes = serialise(test::sample_record());
    bytes[20] = static_cast<char>(bytes[20] ^ 1);
    CHECK_THROWS_WITH(parse_topic_record(bytes, "metadata key braid:x"),
                      Catch::Matches("metadata key braid:x: topic model: checksum: found "
                                     "[0-9a-f]{8}, expected [0-9a-f]{8}: it is damaged or "
                                     "truncated .*braid check.*--repair.*"));
}

TEST_CASE("Damage: a newer version is one only where its checksum is right") {
    ByteWriter body;
    body.text("what only a newer Braid knows");
    const std::string newer = write_stored({.magic = "BrTH", .version = 7, .kind = ""}, body);
    CHECK_THROWS_AS(parse_topic_record(newer, "key"), NewerFormat);
    std::string damaged = serialise(test::sample_record());
    damaged[4] = 7;
    try {
        parse_topic_record(damaged, "key");
        FAIL("read it");
    } catch (const NewerFormat&) {
        FAIL("took damage for a newer version");
    } catch (const FormatError& error) {
        CHECK_THAT(error.what(), Catch::Contains("damaged"));
    }
}

TEST_CASE("Damage: the id of a topic model is that of the first version's bytes") {
    const TopicRecord record = test::sample_record();
    TopicRecord lasting = record;
    lasting.slot = 0;
    lasting.trained_at = 0;
    CHECK(identity_bytes(record) == test::in_old_form(serialise(lasting), 1));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_store.h"

#include <cmath>
#include <set>

#include "braid/core/base/bytes.h"
#include "braid/core/base/checksum.h"
#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

const std::string kId = "0123456789abcdef";
const std::string kOtherId = "fedcba9876543210";

std::vector<float> random_vector(braid::Random& random, std::size_t size, double scale) {
    std::vector<float> vector(size);
    for (float& x : vector) x = static_cast<float>(scale * random.normal());
    return vector;
}

std::vector<float> decode(const std::string& bytes, std::size_t size) {
    std::vector<float> result(size);
    braid::decode_term_vector(bytes, "the key", result);
    return result;
}

std::string id_of(const TopicRecord& record, const braid::TermDocumentCounts& counts,
                  std::uint64_t seed) {
    return braid::topic_model_id(record, braid::test::fit_sample("lsa", counts, seed));
}

}  // namespace

TEST_CASE("Topic store: the catalogue comes back in its order, and is gone when it is empty") {
    Xapian::WritableDatabase database = memory_database();
    CHECK(braid::load_topic_catalogue(database).empty());
    const std::vector<TopicModelIdentity> models = {{"plsi", kOtherId}, {"lsa", kId}};
    braid::store_topic_catalogue(database, models);
    CHECK(braid::load_topic_catalogue(database) == models);
    braid::store_topic_catalogue(database, {});
    CHECK(database.get_metadata(braid::kTopicCatalogueKey).empty());
    CHECK(braid::load_topic_catalogue(database).empty());
}

TEST_CASE("Topic store: a damaged, foreign or newer catalogue is refused, naming its key") {
    Xapian::WritableDatabase database = memory_database();
    braid::store_topic_catalogue(database, {{"plsi", kOtherId}, {"lsa", kId}});
    const std::string whole = database.get_metadata(braid::kTopicCatalogueKey);
    const auto load = [&](const std::string& bytes) {
        database.set_metadata(braid::kTopicCatalogueKey, bytes);
        return braid::load_topic_catalogue(database);
    };
    for (std::size_t size = 1; size < whole.size(); ++size) {
        CHECK_THROWS_AS(load(whole.substr(0, size)), FormatError);
        CHECK_THROWS_WITH(load(whole.substr(0, size)), Contains("metadata key braid:current"));
    }
    CHECK_THROWS_AS(load(whole + "x"), FormatError);
    CHECK_THROWS_AS(load("lsa"), FormatError);
    std::string newer = whole;
    newer[4] = 3;
    CHECK_THROWS_WITH(load(newer), Contains("a newer Braid wrote it"));
    braid::store_topic_catalogue(database, {{"lsa", "short"}});
    CHECK_THROWS_WITH(braid::load_topic_catalogue(database), Contains("found 'short'"));
}

TEST_CASE("Topic store: a model that isn't there is refused with what there is") {
    Xapian::WritableDatabase database = memory_database();
    CHECK_THROWS_WITH(braid::find_topic_model(database, "lsa"), Contains("braid adopt"));
    braid::store_topic_catalogue(database, {{"plsi", kOtherId}, {"lsa", kId}});
    CHECK(braid::find_topic_model(database, "lsa") == TopicModelIdentity{"lsa", kId});
    CHECK_THROWS_AS(braid::find_topic_model(database, "lda"), ModelMismatch);
    CHECK_THROWS_WITH(braid::find_topic_model(database, "lda"),
                      Contains("'lda'") && Contains("it has plsi, lsa"));
    CHECK_THROWS_AS(braid::load_topic_record(database, kId), ModelMismatch);
    CHECK_THROWS_WITH(braid::load_topic_record(database, kId),
                      Contains("metadata key braid:" + kId + ":h"));
    CHECK_THROWS_AS(braid::load_topic_summary(database, kId), ModelMismatch);
    CHECK(braid::load_topic_use(database, kId) == braid::TopicUse());
}

TEST_CASE("Topic store: what can't be read is refused, naming its key") {
    Xapian::WritableDatabase database = memory_database();
    for (const char* ending : {":h", ":w", ":s"}) {
        database.set_metadata(braid::topic_key(kId, ending), "junk");
    }
    CHECK_THROWS_AS(braid::load_topic_record(database, kId), FormatError);
    CHECK_THROWS_WITH(braid::load_topic_record(database, kId), Contains("braid:" + kId + ":h"));
    CHECK_THROWS_AS(braid::load_topic_summary(database, kId), FormatError);
    CHECK_THROWS_WITH(braid::load_topic_summary(database, kId), Contains("braid:" + kId + ":w"));
    CHECK_THROWS_AS(braid::load_topic_use(database, kId), FormatError);
    CHECK_THROWS_WITH(braid::load_topic_use(database, kId), Contains("braid:" + kId + ":s"));
}

TEST_CASE("Topic store: lists the ids of which there is a record, named or not") {
    braid::test::DiskDatabase disk;
    Xapian::WritableDatabase& database = *disk;
    for (const char* key : {"braid:current", "braid:index", "braid:names", "other", "braidx"}) {
        database.set_metadata(key, "x");
    }
    CHECK(braid::recorded_topic_models(database).empty());
    for (const std::string& id : {kId, kOtherId}) {
        for (const char* ending : {":h", ":s", ":t:", ":t:h", ":t::h", ":t:\xff", ":w"}) {
            database.set_metadata(braid::topic_key(id, ending), "x");
        }
    }
    database.set_metadata("braid:00000000000000ff:t:cat", "x");  // without a record
    CHECK(braid::recorded_topic_models(database) == std::vector<std::string>{kId, kOtherId});
}

TEST_CASE("Topic store: an id tells trainings apart, whenever and wherever they were done") {
    const auto counts = braid::test::random_counts(braid::test::seed(), {.documents = 60});
    const auto model = braid::test::fit_sample("lsa", counts);
    const TopicRecord record = braid::test::record_of(model, "lsa");
    const std::string id = braid::topic_model_id(record, model);
    CHECK(id.size() == 16);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    TopicRecord elsewhere = record;
    elsewhere.slot = 1234;
    elsewhere.trained_at = 99;
    CHECK(id_of(elsewhere, counts, braid::kDefaultSeed) == id);

    std::set<std::string> ids = {id};
    TopicRecord other = record;
    other.name = "lsa2";
    CHECK(ids.insert(braid::topic_model_id(other, model)).second);
    other = record;
    other.coding = braid::VectorCoding::kFloat32;
    CHECK(ids.insert(braid::topic_model_id(other, model)).second);
    other = record;
    other.stemmer = "french";
    CHECK(ids.insert(braid::topic_model_id(other, model)).second);
    other = record;
    other.options.seed = 2;
    CHECK(ids.insert(id_of(other, counts, 2)).second);
    const auto others = braid::test::random_counts(braid::test::seed() + 1, {.documents = 60});
    CHECK(ids.insert(id_of(record, others, braid::kDefaultSeed)).second);
    auto changed = model;
    changed.vocabulary[3] += "x";
    CHECK(ids.insert(braid::topic_model_id(record, changed)).second);
    changed = model;
    changed.document_vectors.values.back() += 0.5F;
    CHECK(ids.insert(braid::topic_model_id(record, changed)).second);
}

TEST_CASE("Topic store: a tag depends on the whole id") {
    std::set<unsigned> tags;
    for (int i = 0; i < 200; ++i) {
        std::string id = kId;
        id[static_cast<std::size_t>(i) % 16] = static_cast<char>('g' + i / 16);
        tags.insert(braid::topic_model_tag(id));
        CHECK(braid::topic_model_tag(id) == braid::topic_model_tag(std::string(id)));
    }
    CHECK(tags.size() > 100);  // 200 random bytes: 139 different ones on the average
}

TEST_CASE("Topic store: term vectors come back with binary16's precision", "[property]") {
    braid::Random random(braid::test::seed());
    for (const double scale : {1e-20, 1e-3, 1.0, 1e4, 1e30}) {
        for (const std::size_t size : {1U, 2U, 100U, 1000U}) {
            const std::vector<float> vector = random_vector(random, size, scale);
            const std::string bytes = braid::encode_term_vector(vector);
            const std::vector<float> read = decode(bytes, size);
            double squares = 0;
            for (const float x : vector) squares += static_cast<double>(x) * x;
            const double length = std::sqrt(squares);
            for (std::size_t i = 0; i < size; ++i) {
                const double error = std::fabs(static_cast<double>(read[i]) - vector[i]);
                CHECK(error <= std::fabs(vector[i]) * 0x1p-10 + length * 0x1p-24);
            }
        }
    }
    CHECK(decode(braid::encode_term_vector(std::vector<float>(3)), 3) == std::vector<float>(3));
}

namespace {

// Behind a term's vector: that of the direction, and that of all.
constexpr std::size_t kChecksums = braid::kShortChecksumBytes + 4;

// With the checksums that belong to the bytes.
std::string checked_again(std::string bytes) {
    bytes.resize(bytes.size() - kChecksums);
    const std::uint16_t checksum = braid::short_checksum(std::string_view(bytes).substr(8));
    bytes += static_cast<char>(checksum & 0xffU);
    bytes += static_cast<char>(checksum >> 8);
    braid::append_checksum(bytes);
    return bytes;
}

}  // namespace

TEST_CASE("Topic store: junk for a term's vector is refused, naming the key", "[property]") {
    braid::Random random(braid::test::seed());
    const std::string whole = braid::encode_term_vector(random_vector(random, 20, 1));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_THROWS_AS(decode(whole.substr(0, size), 20), FormatError);
        CHECK_THROWS_WITH(decode(whole.substr(0, size), 20), Contains("the key"));
    }
    CHECK_THROWS_AS(decode(whole + "x", 20), FormatError);
    CHECK_THROWS_AS(decode(whole, 19), FormatError);
    CHECK_THROWS_AS(decode(whole, 21), FormatError);
    const auto with_length = [&](double length) {
        braid::ByteWriter out;
        out.real(length);
        return checked_again(out.bytes() + whole.substr(8));
    };
    CHECK_NOTHROW(decode(with_length(2), 20));
    for (const double length : {-1.0, 1e300, std::nan(""), HUGE_VAL}) {
        CHECK_THROWS_AS(decode(with_length(length), 20), FormatError);
    }
    std::string infinite = whole;
    infinite[infinite.size() - kChecksums - 1] = '\x7c';  // binary16: an exponent of all ones
    CHECK_THROWS_WITH(decode(checked_again(infinite), 20), Contains("not finite"));
    for (int i = 0; i < 5000; ++i) {
        std::string bytes = whole;
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        try {
            for (const float x : decode(bytes, 20)) REQUIRE(std::isfinite(x));
        } catch (const FormatError&) {
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>

#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/support/support.h"

using braid::free_topic_slot;
using braid::IndexSettings;
using braid::TopicModelIdentity;
using braid::TopicRecord;
using braid::test::DiskDatabase;

namespace {

const std::string kId = "0123456789abcdef";
const std::string kOtherId = "0123456789abcdee";

std::map<std::string, std::string> metadata(const Xapian::Database& database) {
    std::map<std::string, std::string> all;
    for (auto key = database.metadata_keys_begin(); key != database.metadata_keys_end(); ++key) {
        all[*key] = database.get_metadata(*key);
    }
    return all;
}

braid::TopicModel small_model() {
    return braid::test::fit_sample("lsa", braid::test::random_counts(1, {.documents = 40}));
}

void record_slot(Xapian::WritableDatabase& database, const std::string& id, unsigned slot) {
    TopicRecord record = braid::test::sample_record();
    record.slot = slot;
    database.set_metadata(braid::topic_key(id, ":h"), serialise(record));
}

void use_slot(Xapian::WritableDatabase& database, unsigned slot) {
    Xapian::Document document;
    document.add_value(slot, "another program's");
    database.add_document(document);
}

}  // namespace

TEST_CASE("Topic writer: writes the record, the topics and every word, and no catalogue") {
    DiskDatabase disk;
    Xapian::WritableDatabase& database = *disk;
    const braid::TopicModel model = small_model();
    const TopicRecord record = braid::test::record_of(model, "lsa");
    braid::write_topic_model(database, kId, record, braid::test::sample_summary(), model);
    CHECK(serialise(braid::load_topic_record(database, kId)) == serialise(record));
    CHECK(braid::load_topic_summary(database, kId).topics.size() == 2);
    CHECK(metadata(database).size() == model.vocabulary.size() + 2);
    for (const std::string& word : model.vocabulary) {
        CHECK_FALSE(database.get_metadata("braid:" + kId + ":t:" + word).empty());
    }
    CHECK(braid::load_topic_catalogue(database).empty());
}

TEST_CASE("Topic writer: publishing takes the place of the model of that name") {
    DiskDatabase disk;
    Xapian::WritableDatabase& database = *disk;
    CHECK(braid::publish_topic_model(database, {"lsa", kId}).empty());
    CHECK(braid::publish_topic_model(database, {"lda", kOtherId}).empty());
    CHECK(braid::publish_topic_model(database, {"lsa", "00000000000000ff"}) == kId);
    const std::vector<TopicModelIdentity> expected = {{"lsa", "00000000000000ff"},
                                                      {"lda", kOtherId}};
    CHECK(braid::load_topic_catalogue(database) == expected);
    CHECK_FALSE(braid::withdraw_topic_model(database, "plsi"));
    CHECK(braid::load_topic_catalogue(database) == expected);
    CHECK(braid::withdraw_topic_model(database, "lsa"));
    CHECK(braid::load_topic_catalogue(database) ==
          std::vector<TopicModelIdentity>{{"lda", kOtherId}});
    CHECK(braid::withdraw_topic_model(database, "lda"));
    CHECK(metadata(database).empty());
}

TEST_CASE("Topic writer: clearing removes all keys of the model and no other") {
    DiskDatabase disk;
    Xapian::WritableDatabase& database = *disk;
    database.set_metadata("other", "x");
    database.set_metadata(braid::kIndexSettingsKey, "x");
    const braid::TopicModel model = small_model();
    const TopicRecord record = braid::test::record_of(model, "lsa");
    const auto summary = braid::test::sample_summary();
    braid::write_topic_model(database, kOtherId, record, summary, model);
    const auto before = metadata(database);
    braid::write_topic_model(database, kId, record, summary, model);
    database.set_metadata(braid::topic_key(kId, ":s"), serialise(braid::TopicUse{1, 2, 3}));
    REQUIRE(metadata(database).size() > before.size());
    braid::clear_topic_keys(database, kId);
    CHECK(metadata(database) == before);
    braid::clear_topic_keys(database, kId);
    CHECK(metadata(database) == before);
}

TEST_CASE("Topic writer: takes the first slot that nobody has in any shard") {
    DiskDatabase one;
    DiskDatabase two;
    Xapian::WritableDatabase& first = *one;
    Xapian::WritableDatabase& second = *two;
    IndexSettings settings;
    settings.fields.clear();
    const auto slot = [&] { return free_topic_slot({first, second}, settings); };
    CHECK(slot() == braid::kFirstTopicSlot);
    settings.fields = {{.name = "year", .slot = 1000}};
    CHECK(slot() == 1001);
    use_slot(second, 1001);
    CHECK(slot() == 1002);
    record_slot(first, kId, 1002);
    CHECK(slot() == 1003);
    record_slot(second, kOtherId, 1003);
    use_slot(first, 1005);
    CHECK(slot() == 1004);
    settings.fields.push_back({.name = "size", .slot = 1004});
    CHECK(slot() == 1006);
}

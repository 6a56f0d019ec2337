// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_record.h"

#include <functional>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/support/support.h"

using braid::FormatError;
using braid::TopicRecord;
using braid::TopicSummary;
using braid::TopicUse;
using namespace braid::test;

namespace {

constexpr char kWhere[] = "metadata key braid:x";

// One of the three stored values, by what reads it and writes it again.
struct Stored {
    std::string name;
    std::string bytes;
    std::function<std::string(const std::string&)> rewrite;
};

std::vector<Stored> stored_values() {
    return {{"record", serialise(braid::test::sample_record()),
             [](const std::string& bytes) {
                 return serialise(braid::parse_topic_record(bytes, kWhere));
             }},
            {"summary", serialise(braid::test::sample_summary()),
             [](const std::string& bytes) {
                 return serialise(braid::parse_topic_summary(bytes, kWhere));
             }},
            {"use", serialise(TopicUse{300, 1e6, 2.5}), [](const std::string& bytes) {
                 return serialise(braid::parse_topic_use(bytes, kWhere));
             }}};
}

}  // namespace

TEST_CASE("Topic record: every part of a record comes back") {
    const TopicRecord record = braid::test::sample_record();
    const TopicRecord read = braid::parse_topic_record(serialise(record), kWhere);
    CHECK(read.name == record.name);
    CHECK(read.header == record.header);
    CHECK(read.coding == record.coding);
    CHECK(read.slot == record.slot);
    CHECK(read.form == record.form);
    CHECK(read.stemmer == record.stemmer);
    CHECK(read.options == record.options);
    CHECK(read.limits == record.limits);
    CHECK(read.documents == record.documents);
    CHECK(read.vocabulary == record.vocabulary);
    CHECK(read.words == record.words);
    CHECK(read.unknown_words == record.unknown_words);
    CHECK(read.trained_at == record.trained_at);
    CHECK(read.training.iterations == record.training.iterations);
    CHECK(read.training.stop_reason == record.training.stop_reason);
    CHECK(read.training.objective_name == record.training.objective_name);
    CHECK(read.training.objective == record.training.objective);
    CHECK(read.training.trace == record.training.trace);
    CHECK(read.training.warnings == record.training.warnings);
}

TEST_CASE("Topic record: topics and use come back") {
    const TopicSummary summary = braid::test::sample_summary();
    const TopicSummary read = braid::parse_topic_summary(serialise(summary), kWhere);
    REQUIRE(read.topics.size() == 2);
    CHECK(read.topics[0].share == 0.75);
    REQUIRE(read.topics[0].words.size() == 2);
    CHECK(read.topics[0].words[1].term == "dog");
    CHECK(read.topics[0].words[1].weight == -0.25);
    CHECK(read.topics[1].words.empty());
    CHECK(read.coherence == summary.coherence);
    const TopicUse use{300, 1e6, 2.5};
    CHECK(braid::parse_topic_use(serialise(use), kWhere) == use);
}

TEST_CASE("Topic record: every truncation and every longer value is refused", "[property]") {
    for (const Stored& stored : stored_values()) {
        INFO(stored.name);
        REQUIRE(stored.rewrite(stored.bytes) == stored.bytes);
        for (std::size_t size = 0; size < stored.bytes.size(); ++size) {
            const std::string cut = stored.bytes.substr(0, size);
            CHECK_THROWS_AS(stored.rewrite(cut), FormatError);
            CHECK_THROWS_WITH(stored.rewrite(cut), Contains(kWhere));
        }
        CHECK_THROWS_AS(stored.rewrite(stored.bytes + '\0'), FormatError);
    }
}

TEST_CASE("Topic record: changed bytes are refused or are another whole value", "[property]") {
    braid::Random random(braid::test::seed());
    for (const Stored& stored : stored_values()) {
        std::size_t refused = 0;
        for (int i = 0; i < 5000; ++i) {
            std::string bytes = stored.bytes;
            for (std::uint64_t change = random.below(3); change <= 2; ++change) {
                bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
            }
            std::string again = bytes;
            try {
                again = stored.rewrite(bytes);
            } catch (const FormatError&) {
                ++refused;
            }
            // A value has one form only.
            if (again != bytes) FAIL(stored.name << ": two forms of one value");
        }
        CHECK(refused > 1000);
        CHECK_THROWS_AS(stored.rewrite(std::string(1000, '\xff')), FormatError);
    }
}

TEST_CASE("Topic record: a foreign value and a newer version are told apart") {
    for (const Stored& stored : stored_values()) {
        INFO(stored.name);
        CHECK_THROWS_WITH(stored.rewrite("{\"lsa\": 1}"), Contains(kWhere));
        std::string newer = stored.bytes;
        newer[4] = 3;  // after the magic
        CHECK_THROWS_WITH(stored.rewrite(newer), Contains("a newer Braid wrote it"));
        for (const Stored& other : stored_values()) {
            if (other.name != stored.name)
                CHECK_THROWS_AS(stored.rewrite(other.bytes), FormatError);
        }
    }
}

TEST_CASE("Topic record: numbers that no model has are refused, by name") {
    TopicRecord record = braid::test::sample_record();
    record.header.dimensions = 0;
    CHECK_THROWS_WITH(braid::parse_topic_record(serialise(record), kWhere), Contains("dimensions"));
    record = braid::test::sample_record();
    record.slot = 0xffffffffU;  // Xapian::BAD_VALUENO
    CHECK_THROWS_WITH(braid::parse_topic_record(serialise(record), kWhere), Contains("slot"));
    record = braid::test::sample_record();
    record.words = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(braid::parse_topic_record(serialise(record), kWhere), Contains("words"));
    record = braid::test::sample_record();
    record.header.dimensions = 65'537;  // Of which each query would make a vector.
    CHECK_THROWS_WITH(braid::parse_topic_record(serialise(record), kWhere), Contains("dimensions"));
    record = braid::test::sample_record();
    record.trained_at = std::uint64_t{1} << 60;
    CHECK_THROWS_WITH(braid::parse_topic_record(serialise(record), kWhere),
                      Contains("time of training"));
}

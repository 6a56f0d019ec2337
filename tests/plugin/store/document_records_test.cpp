// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_records.h"

#include <cmath>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/support/support.h"

using namespace braid;

namespace {

DocumentRecords records_of(WordForm form, std::vector<RecordedField> fields = {}) {
    return {.slot = 1003, .form = form, .fields = std::move(fields)};
}

FieldRecord random_field(Random& random) {
    if (random.below(3) == 0) return {};
    return {static_cast<std::uint32_t>(1 + random.below(1U << random.below(32))),
            static_cast<float>(1000 * random.uniform()),
            static_cast<std::uint32_t>(random.bits() >> random.below(32) >> 32)};
}

FullRecord random_record(Random& random) {
    FullRecord record{
        {random.bits() >> (2 + random.below(60)), static_cast<float>(1000 * random.uniform()),
         static_cast<std::uint32_t>(random.bits() >> random.below(32) >> 32), 0},
        {}};
    for (std::size_t i = random.below(4); i-- > 0;) record.fields.push_back(random_field(random));
    if (!record.fields.empty()) {
        record.document.fields_tag = static_cast<std::uint8_t>(1 + random.below(255));
    }
    return record;
}

}  // namespace

TEST_CASE("Document records: worked by hand") {
    Xapian::Document document;
    document.add_term("cat", 1);
    document.add_term("dog", 3);
    document.add_term("Zdog", 3);
    document.add_term("Scat", 1);
    document.add_term("ZScat", 2);
    document.add_term("ZSdog", 1);
    document.add_term("XSUBcat", 4);
    document.add_boolean_term("XTAG");
    const std::vector<RecordedField> fields = {{.name = "title", .prefix = "S"},
                                               {.name = "sub", .prefix = "XSUB"},
                                               {.name = "none", .prefix = "A"}};
    const FullRecord words = make_document_record(document, records_of(WordForm::kWords, fields));
    CHECK(words.document.length == 15);
    CHECK(words.document.unique_terms == 8);
    CHECK(words.document.norm == Approx(std::hypot(1, 1 + std::log(3.0))));
    REQUIRE(words.fields.size() == 3);
    CHECK(words.fields[0] == FieldRecord{1, 1, 1});
    CHECK(words.fields[1].length == 4);
    CHECK(words.fields[1].norm == Approx(1 + std::log(4.0)));
    CHECK(words.fields[2] == FieldRecord{});
    const FullRecord stems = make_document_record(document, records_of(WordForm::kStems, fields));
    CHECK(stems.document.norm == Approx(1 + std::log(3.0)));
    CHECK(stems.fields[0].length == 3);
    CHECK(stems.fields[0].unique_terms == 2);
    CHECK(stems.fields[0].norm == Approx(std::hypot(1, 1 + std::log(2.0))));
    CHECK(stems.fields[1] == FieldRecord{});
    CHECK(make_document_record(Xapian::Document(), records_of(WordForm::kWords)) == FullRecord{});
}

TEST_CASE("Document records: what is written is read, and nothing else", "[property]") {
    Random random(test::seed());
    // The checksum has two bytes: of other bytes one in 65,536 is a record, too, but what they say.
    std::size_t taken = 0;
    const auto check_other = [&](const std::string& other) {
        std::vector<FieldRecord> fields(8);
        const auto document = try_document_record(other, fields);
        if (!document) return;
        ++taken;
        std::size_t count = 0;
        for (; count < fields.size(); ++count) {
            const FullRecord full{*document, {fields.begin(), fields.begin() + count}};
            if (encode_document_record(full) == other) break;
        }
        CHECK(count < fields.size());
    };
    for (int i = 0; i < 2000; ++i) {
        const FullRecord record = random_record(random);
        const std::string bytes = encode_document_record(record);
        std::vector<FieldRecord> fields(record.fields.size() + 1);
        CHECK(try_document_record(bytes, fields) == record.document);
        CHECK(fields.back() == FieldRecord{});
        fields.pop_back();
        CHECK(fields == record.fields);
        CHECK(try_document_record(bytes) == record.document);
        for (std::size_t size = 0; size < bytes.size(); ++size) check_other(bytes.substr(0, size));
        check_other(bytes + "x");
        std::string changed = bytes;
        const std::size_t at = random.below(changed.size());
        changed[at] = static_cast<char>(changed[at] ^ (1 + random.below(255)));
        check_other(changed);
    }
    CHECK(taken < 10);
    CHECK_FALSE(try_document_record("a title"));
}

TEST_CASE("Document records: fields of other names have another tag") {
    const auto tag = [](const std::string& name, const std::string& prefix) {
        return records_of(WordForm::kStems, {{.name = name, .prefix = prefix}}).fields_tag();
    };
    CHECK(records_of(WordForm::kStems).fields_tag() == 0);
    CHECK(tag("title", "S") != 0);
    CHECK(tag("title", "S") != tag("title", "A"));
    CHECK(tag("title", "S") != tag("author", "S"));
}

TEST_CASE("Document records: where they are is kept, and damage is named") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    CHECK_FALSE(load_document_records(database));
    const DocumentRecords records{
        1003, WordForm::kWords, {{"title", "S", 7, 30}, {"author", "A", 7, 9}}};
    store_document_records(database, records);
    CHECK(load_document_records(database) == records);
    const std::string bytes = database.get_metadata(kDocumentRecordsKey);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        database.set_metadata(kDocumentRecordsKey, bytes.substr(0, size));
        CHECK_THROWS_WITH(load_document_records(database), Catch::Contains("braid:documents"));
    }
}

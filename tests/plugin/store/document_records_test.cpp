// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_records.h"

#include <cmath>

#include "braid/core/error.h"
#include "braid/core/random.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/support/support.h"

using namespace braid;

TEST_CASE("Document records: worked by hand") {
    Xapian::Document document;
    document.add_term("cat", 1);
    document.add_term("dog", 3);
    document.add_term("Zdog", 3);
    document.add_term("Scat", 1);
    document.add_boolean_term("XTAG");
    const DocumentRecord words = make_document_record(document, WordForm::kWords);
    CHECK(words.length == 8);
    CHECK(words.unique_terms == 5);
    CHECK(words.norm == Approx(std::hypot(1, 1 + std::log(3.0))));
    const DocumentRecord stems = make_document_record(document, WordForm::kStems);
    CHECK(stems.norm == Approx(1 + std::log(3.0)));
    CHECK(make_document_record(Xapian::Document(), WordForm::kWords) == DocumentRecord{});
}

TEST_CASE("Document records: what is written is read, and nothing else", "[property]") {
    Random random(test::seed());
    for (int i = 0; i < 2000; ++i) {
        const DocumentRecord record{
            random.bits() >> (2 + random.below(60)), static_cast<float>(1000 * random.uniform()),
            static_cast<std::uint32_t>(random.bits() >> random.below(32) >> 32)};
        const std::string bytes = encode_document_record(record);
        CHECK(try_document_record(bytes) == record);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            REQUIRE_FALSE(try_document_record(bytes.substr(0, size)));
        }
        CHECK_FALSE(try_document_record(bytes + "x"));
        std::string changed = bytes;
        changed[random.below(changed.size())] = static_cast<char>(random.bits());
        if (const auto other = try_document_record(changed)) {
            CHECK(encode_document_record(*other) == changed);
        }
    }
    CHECK_FALSE(try_document_record("a title"));
}

TEST_CASE("Document records: where they are is kept, and damage is named") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    CHECK_FALSE(load_document_records(database));
    store_document_records(database, {1003, WordForm::kWords});
    CHECK(load_document_records(database) == DocumentRecords{1003, WordForm::kWords});
    const std::string bytes = database.get_metadata(kDocumentRecordsKey);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        database.set_metadata(kDocumentRecordsKey, bytes.substr(0, size));
        CHECK_THROWS_WITH(load_document_records(database), Catch::Contains("braid:documents"));
    }
}

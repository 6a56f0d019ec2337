// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/adopt.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

// Documents whose record is not what their terms say.
std::size_t wrong_records(const std::string& path) {
    const Xapian::Database database(path);
    const auto records = load_document_records(database);
    REQUIRE(records);
    std::size_t wrong = 0;
    for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it) {
        const Xapian::Document document = database.get_document(*it);
        const std::string value = document.get_value(records->slot);
        if (value != encode_document_record(make_document_record(document, *records))) ++wrong;
    }
    return wrong;
}

}  // namespace

TEST_CASE("Statistics adopter: every document has its record, and again is nothing to do") {
    const TemporaryFolder folder;
    for (const bool foreign : {false, true}) {
        const std::string path = folder / (foreign ? "foreign" : "own");
        if (foreign) {
            index_by_plain_loop(topical_documents(40), path);
        } else {
            index(path, topical_documents(40));
        }
        const Dump before = dump_without_topics(Xapian::Database(path));
        const AdoptedStatistics first = adopt_statistics({path}, {.batch = 7});
        CHECK(first.written == 40);
        CHECK(first.slot == 1000);
        CHECK(wrong_records(path) == 0);
        CHECK(dump_without_topics(Xapian::Database(path)) == before);
        CHECK(adopt_statistics({path}).written == 0);
        CHECK(adopt(path, small_model(3)).record->slot == 1001);
    }
}

TEST_CASE("Statistics adopter: the indexer keeps up, other programs' changes are caught up with") {
    const TopicalDatabase topical(20);
    const std::string& path = topical.path;
    adopt_statistics({path});
    Documents changed = topical_documents(30);
    changed[4].fields.push_back({"text", "more words"});
    index(path, changed);
    CHECK(wrong_records(path) == 0);
    {
        Xapian::WritableDatabase database(path);
        Xapian::Document document = database.get_document(3);
        document.add_term("another");
        database.replace_document(3, document);
        database.delete_document(5);
        database.commit();
    }
    CHECK(wrong_records(path) == 1);
    CHECK(adopt_statistics({path}).written == 1);
    CHECK(wrong_records(path) == 0);
}

TEST_CASE("Statistics adopter: fields' words are counted, and again after indexing") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Documents documents = topical_documents(20);
    documents[3].fields.push_back({"author", "Ada Lovelace"});
    index(path, documents);
    const auto author = [&]() -> RecordedField {
        const auto records = load_document_records(Xapian::Database(path));
        for (const RecordedField& field : records->fields) {
            if (field.name == "author") return field;
        }
        return {};
    };
    const AdoptedStatistics adopted = adopt_statistics({path});
    CHECK(adopted.fields == 5);  // Those of the default ones that have a prefix.
    CHECK(author() == RecordedField{"author", "A", 20, 2});
    documents[7].fields.push_back({"author", "Charles Babbage the Younger"});
    documents.push_back(topical_documents(21).back());
    index(path, documents);
    CHECK(author() == RecordedField{"author", "A", 21, 5});  // A stop word has no stem.
    CHECK(wrong_records(path) == 0);
    CHECK(adopt_statistics({path}).written == 0);
}

TEST_CASE("Statistics adopter: records of a former version get fields") {
    const TopicalDatabase topical(20);
    const std::string& path = topical.path;
    {
        Xapian::WritableDatabase database(path);
        const DocumentRecords plain{1000, WordForm::kStems, {}};
        Xapian::Document document = database.get_document(2);
        document.add_value(1000, encode_document_record(make_document_record(document, plain)));
        database.replace_document(2, document);
        store_document_records(database, plain);
        database.commit();
    }
    CHECK(adopt_statistics({path}).written == 20);
    CHECK(wrong_records(path) == 0);
}

TEST_CASE("Statistics adopter: what another database has in the place of records stays") {
    const TemporaryFolder folder;
    const std::string with_records = folder / "a";
    const std::string with_vectors = folder / "b";
    index(with_records, topical_documents(20));
    index(with_vectors, topical_documents(30));
    REQUIRE(adopt_statistics({with_records}).slot == 1000);
    REQUIRE(adopt(with_vectors, small_model(3)).record->slot == 1000);
    const std::string vector = Xapian::Database(with_vectors).get_document(1).get_value(1000);
    adopt_statistics({with_records, with_vectors});
    CHECK(Xapian::Database(with_vectors).get_document(1).get_value(1000) == vector);
    CHECK(wrong_records(with_records) == 0);
    CHECK(wrong_records(with_vectors) == 0);
}

TEST_CASE("Statistics adopter: stopped work is not named, and goes on") {
    const TopicalDatabase topical(600);
    const std::string& path = topical.path;
    AdoptStatisticsOptions options{.batch = 100};
    options.progress = [](const ProgressReport& report) { return report.done < 300; };
    CHECK_THROWS_AS(adopt_statistics({path}, options), Cancelled);
    CHECK_FALSE(load_document_records(Xapian::Database(path)));
    adopt_statistics({path});
    CHECK(wrong_records(path) == 0);
    CHECK_THROWS_AS(adopt_statistics({}), InvalidArgument);
}

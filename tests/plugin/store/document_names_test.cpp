// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using braid::DocumentNameSource;
using namespace braid::test;

namespace {

Xapian::WritableDatabase one_document() {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    Xapian::Document document;
    for (const char* term : {"Pother", "Qdoc/1", "XID:Doc 1", "Zword", "word"}) {
        document.add_term(term);
    }
    document.add_value(3, "value name");
    document.set_data("first line\r\nsecond");
    database.add_document(document);
    return database;
}

std::string name_by(const std::string& source) {
    const Xapian::Database database = one_document();
    return braid::document_name(database.get_document(1), DocumentNameSource::parse(source));
}

}  // namespace

TEST_CASE("Document names: every kind of source finds the name") {
    check_texts(name_by, {{"term:Q", "doc/1"},
                          {"term:XID", "Doc 1"},
                          {"value:3", "value name"},
                          {"data", "first line"},
                          {"docid", "1"}});
}

TEST_CASE("Document names: a document without one has an empty name") {
    check_texts(name_by, {{"term:R", ""}, {"term:zz", ""}, {"value:4", ""}});
    CHECK(braid::document_name(Xapian::Document(), DocumentNameSource::parse("term:Q")).empty());
    CHECK(braid::document_name(Xapian::Document(), DocumentNameSource::parse("data")).empty());
}

TEST_CASE("Document names: sources are text and back, and anything else is refused") {
    for (const char* text :
         {"term:Q", "term:XID:", "value:0", "value:4294967294", "data", "docid"}) {
        CHECK(DocumentNameSource::parse(text).to_string() == text);
    }
    for (const char* text : {"", "term", "term:", "value:", "value:x", "value:-1", "value:1x",
                             "value:4294967295", "value:99999999999", "Data", "data:1", "q"}) {
        CHECK_THROWS_WITH(DocumentNameSource::parse(text),
                          "document names from '" + std::string(text) +
                              "'; expected term:PREFIX, value:SLOT, data or docid");
    }
}

TEST_CASE("Document names: a database remembers its source") {
    Xapian::WritableDatabase database = one_document();
    CHECK_FALSE(braid::load_document_names(database));
    const DocumentNameSource source = DocumentNameSource::parse("term:XID");
    braid::store_document_names(database, source);
    CHECK(braid::load_document_names(database) == source);
    database.set_metadata(braid::kDocumentNamesKey, "rubbish");
    CHECK_THROWS_AS(braid::load_document_names(database), braid::FormatError);
    CHECK_THROWS_WITH(braid::load_document_names(database), Contains("metadata key braid:names"));
}

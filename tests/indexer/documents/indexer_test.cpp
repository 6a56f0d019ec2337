// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/stop_words.h"
#include "braid/database.h"
#include "braid/index.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/indexer/documents/index_run.h"

using namespace braid;
using namespace braid::test;

TEST_CASE("Indexer: writes what a plain loop over TermGenerator writes") {
    const TemporaryFolder folder;
    const Documents documents = random_documents(300);
    braid::test::index_by_plain_loop(documents, folder / "plain");
    const IndexCounts counts = index(folder / "braid", documents, {.batch = 70});
    CHECK(counts.added == 300);
    CHECK(counts.read() == 300);
    CHECK(dump(folder / "braid") == dump(folder / "plain"));
    const Xapian::Database database((folder / "braid").string());
    CHECK(database.get_document(5).get_value(0) == "d4");
    CHECK(braid::load_document_names(database)->to_string() == "value:0");
    IndexSettings expected;
    expected.analysis.stop_list = braid::english_stop_words();
    CHECK(braid::load_index_settings(database) == expected);
}

TEST_CASE("Indexer: the same input once more changes nothing") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const Documents documents = random_documents(50);
    index(path, documents);
    const auto before = dump(path);
    const IndexCounts counts = index(path, documents);
    CHECK(counts.unchanged == 50);
    CHECK(counts.added + counts.replaced + counts.duplicates == 0);
    CHECK(dump(path) == before);
}

TEST_CASE("Indexer: a document replaces the one of its name, new ones are added") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    Documents documents = random_documents(50);
    index(path, documents);
    documents[7].fields[1].text += " entirely new";
    documents.push_back(make_document("new", {{"text", "words"}}));
    const IndexCounts counts = index(path, documents);
    CHECK(counts.replaced == 1);
    CHECK(counts.added == 1);
    CHECK(counts.unchanged == 49);
    check_as_at_once(path, documents);
}

TEST_CASE("Indexer: documents whose data don't tell are always replaced") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const IndexSettings settings{.stored = {"title"}};
    index(path, {make_document("a", {{"title", "t"}, {"text", "old"}})}, settings);
    CHECK(Xapian::Database(path).get_document(1).get_data() == R"({"title":"t"})");
    const IndexCounts counts =
        index(path, {make_document("a", {{"title", "t"}, {"text", "new"}})}, settings);
    CHECK(counts.replaced == 1);
    CHECK(Xapian::Database(path).term_exists("new"));
    CHECK_FALSE(Xapian::Database(path).term_exists("old"));
}

TEST_CASE("Indexer: of two documents of one name the last stays, with a warning") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    std::vector<std::string> warnings;
    const IndexerOptions options{.warn = [&](const std::string& w) { warnings.push_back(w); }};
    const Documents documents = {make_document("a", {{"text", "first"}}),
                                 make_document("b", {{"text", "other"}}),
                                 make_document("a", {{"text", "second"}})};
    IndexCounts counts = index(path, documents, {}, options);
    CHECK(counts.added == 2);
    CHECK(counts.duplicates == 1);
    CHECK(warnings == std::vector<std::string>{
                          "memory:1: a second document called 'a'; it replaces the first"});
    const auto before = dump(path);
    CHECK(before.size() == 2);
    CHECK(Xapian::Database(path).term_exists("second"));
    // Known from an earlier run, and twice in this one.
    warnings.clear();
    counts = index(path, documents, {}, options);
    CHECK(counts.replaced == 1);
    CHECK(counts.unchanged == 1);
    CHECK(counts.duplicates == 1);
    CHECK(warnings.size() == 1);
    CHECK(dump(path) == before);
}

TEST_CASE("Indexer: a document without an id is called by file and line, in every run") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    std::vector<std::string> warnings;
    const IndexerOptions options{.warn = [&](const std::string& w) { warnings.push_back(w); }};
    Documents documents = {make_document("", {{"text", "one"}}),
                           make_document("", {{"text", "two"}})};
    documents[1].where.line = 9;
    CHECK(index(path, documents, {}, options).unnamed == 2);
    CHECK(warnings.size() == 1);
    CHECK_THAT(warnings[0], Contains("memory:1: a document without an id"));
    CHECK(Xapian::Database(path).get_document(2).get_value(0) == "memory:9");
    CHECK(Xapian::Database(path).term_exists("Qmemory:9"));
    CHECK(index(path, documents).unchanged == 2);
}

TEST_CASE("Indexer: names of any length and bytes are kept apart and found again") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const std::vector<std::string> names = {std::string(244, 'n'),
                                            std::string(245, 'n'),
                                            std::string(246, 'n'),
                                            std::string(5000, 'n'),
                                            std::string(200, '\0'),
                                            "with blank and \xC3\xA9",
                                            std::string(244, 'n') + "m",
                                            std::string(201, '\0'),
                                            "Q",
                                            ":"};
    Documents documents;
    for (const std::string& name : names) documents.push_back(make_document(name, {{"text", "x"}}));
    CHECK(index(path, documents).added == names.size());
    CHECK(index(path, documents).unchanged == names.size());
    const Xapian::Database database(path);
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(database.get_document(static_cast<Xapian::docid>(i + 1)).get_value(0) == names[i]);
    }
}

TEST_CASE("Indexer: documents without fields or words are indexed and counted") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    const Documents documents = {make_document("a", {}), make_document("b", {{"text", " -- "}}),
                                 make_document("c", {{"unlisted", "words"}}),
                                 make_document("d", {{"section", "net"}}),
                                 make_document("e", {{"text", "words"}})};
    CHECK(index(path, documents).wordless == 4);
    const Xapian::Database database(path);
    CHECK(database.get_doccount() == 5);
    CHECK(database.get_document(1).get_data() == "{}");
    CHECK(database.get_document(4).get_data() == R"({"section":"net"})");
    CHECK(database.term_exists("XSECTIONnet"));
}

TEST_CASE("Indexer: fields become words, filters and values as their settings say") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    IndexSettings settings;
    settings.analysis = {.stemmer = "none", .stop_words = "none"};
    settings.fields = {{.name = "title", .prefix = "S", .weight = 3},
                       {.name = "author", .prefix = "A", .free_text = false},
                       {.name = "tag", .prefix = "XTAG", .free_text = false, .exact = true},
                       {.name = "year", .free_text = false, .slot = 2, .numeric = true},
                       {.name = "date", .slot = 3}};
    std::vector<std::string> warnings;
    const IndexerOptions options{.warn = [&](const std::string& w) { warnings.push_back(w); }};
    index(path,
          {make_document("1", {{"title", "big cat"},
                               {"author", "Ann"},
                               {"tag", "net\n Role::Client \n\n"},
                               {"tag", std::string(300, 'x')},
                               {"year", " 1999.5 "},
                               {"author", "Bob"},
                               {"date", "2024-01-31"},
                               {"date", "later"}}),
           make_document("2", {{"year", "199x"}}), make_document("3", {{"year", "nan"}}),
           make_document("4", {{"year", "-1e3"}})},
          settings, options);
    auto found = dump(path);
    const std::vector<std::string> expected = {"2024 wdf 1 @305",
                                               "31 wdf 1 @307",
                                               "01 wdf 1 @306",
                                               "later wdf 1 @408",
                                               "Aann wdf 1 @103",
                                               "Abob wdf 1 @204",
                                               "Q1 wdf 0",
                                               "Sbig wdf 1 @1",
                                               "Scat wdf 1 @2",
                                               "XTAG:Role::Client wdf 0",
                                               "XTAGnet wdf 0",
                                               "big wdf 3 @1",
                                               "cat wdf 3 @2",
                                               "slot 0 = 1",
                                               "slot 2 = " + Xapian::sortable_serialise(1999.5),
                                               "slot 3 = 2024-01-31"};
    for (const std::string& line : expected) {
        INFO(line);
        CHECK(std::count(found[1].begin(), found[1].end(), line) == 1);
    }
    CHECK(found[1].size() == expected.size() + 3);  // the hashed tag, length, data
    CHECK(found[4][1] == "slot 0 = 4");
    CHECK(found[4][2] == "slot 2 = " + Xapian::sortable_serialise(-1000));
    CHECK(warnings == std::vector<std::string>{
                          "memory:1: field 'year': found '199x', expected a number; the slot stays "
                          "empty",
                          "memory:1: field 'year': found 'nan', expected a number; the slot stays "
                          "empty"});
}

TEST_CASE("Indexer: without positions there are none") {
    const TemporaryFolder folder;
    IndexSettings settings;
    settings.analysis.positions = false;
    index(folder / "db", random_documents(5), settings);
    CHECK_FALSE(Xapian::Database((folder / "db").string()).has_positions());
}

TEST_CASE("Indexer: words are kept for spelling where the settings say so") {
    const TemporaryFolder folder;
    IndexSettings settings;
    settings.analysis.spelling = true;
    index(folder / "db", {make_document("1", {{"text", "database database"}})}, settings);
    CHECK(Xapian::Database((folder / "db").string()).get_spelling_suggestion("databse") ==
          "database");
    index(folder / "without", {make_document("1", {{"text", "database"}})});
    CHECK(
        Xapian::Database((folder / "without").string()).get_spelling_suggestion("databse").empty());
}

TEST_CASE("Indexer: phrases don't reach from one field into the next") {
    const TemporaryFolder folder;
    index(folder / "db", {make_document("1", {{"title", "big cat"}, {"text", "sat down"}})});
    const Xapian::Database database((folder / "db").string());
    const auto matches = [&](const char* first, const char* second) {
        const Xapian::Query words[] = {Xapian::Query(first), Xapian::Query(second)};
        Xapian::Enquire enquire(database);
        enquire.set_query(Xapian::Query(Xapian::Query::OP_PHRASE, words, words + 2));
        return enquire.get_mset(0, 1).size();
    };
    CHECK(matches("big", "cat") == 1);
    CHECK(matches("Sbig", "Scat") == 1);
    CHECK(matches("cat", "sat") == 0);
}

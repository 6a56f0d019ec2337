// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>
#include <set>
#include <sstream>

#include "braid/core/base/random.h"
#include "braid/core/settings/stop_words.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/tests/support/support.h"

using braid::FormatError;
using braid::IndexSettings;
using namespace braid::test;

namespace {

IndexSettings unusual_settings() {
    IndexSettings settings;
    settings.analysis = {.stemmer = "german",
                         .stemming = braid::AnalysisSettings::Stemming::kAll,
                         .stop_words = "/no/such/file",
                         .stop_list = {"das", "der", "die"},
                         .stop_documents = true,
                         .positions = false,
                         .spelling = true,
                         .max_word_length = 200};
    settings.fields = {{.name = "year", .prefix = "", .slot = 65535, .numeric = true},
                       {.name = "tag", .prefix = "XTAG", .free_text = false, .exact = true},
                       {.name = "text", .weight = 1000}};
    settings.stored = {"text", "tag"};
    return settings;
}

IndexSettings parse(const std::string& bytes) { return braid::parse_index_settings(bytes, "test"); }

}  // namespace

TEST_CASE("Index settings: a database keeps them, with the stop words themselves") {
    const braid::test::TemporaryFolder folder;
    const std::string path = folder / "db";
    const IndexSettings settings = unusual_settings();
    {
        Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
        CHECK_FALSE(braid::load_index_settings(database));
        braid::store_index_settings(database, settings);
        database.commit();
    }
    CHECK(braid::load_index_settings(Xapian::Database(path)) == settings);
}

TEST_CASE("Index settings: the defaults are kept with Braid's list written out") {
    const IndexSettings kept = parse(braid::serialise(IndexSettings()));
    CHECK(kept.analysis.stop_list == braid::english_stop_words());
    IndexSettings defaults;
    defaults.analysis.stop_list = kept.analysis.stop_list;
    CHECK(kept == defaults);
    CHECK(braid::serialise(kept) == braid::serialise(IndexSettings()));
}

TEST_CASE("Index settings: a list without words is kept as no list") {
    const braid::test::TemporaryFolder folder;
    braid::test::write_file(folder / "empty", "# nothing\n");
    IndexSettings settings;
    settings.analysis.stop_words = folder / "empty";
    CHECK(parse(braid::serialise(settings)).analysis.stop_words == "none");
}

TEST_CASE("Index settings: batch is no property of the database") {
    IndexSettings settings;
    settings.batch = 3;
    CHECK(parse(braid::serialise(settings)).batch == IndexSettings().batch);
}

TEST_CASE("Index settings: settings that are wrong are not stored") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    IndexSettings settings;
    settings.fields = {{.name = "tag", .exact = true}};
    CHECK_THROWS_AS(braid::store_index_settings(database, settings), braid::InvalidArgument);
}

TEST_CASE("Index settings: a stemmer that Xapian doesn't have is the record's fault") {
    IndexSettings settings = unusual_settings();
    settings.analysis.stemmer = "klingon";
    CHECK_THROWS_AS(parse(braid::serialise(settings)), FormatError);
    CHECK_THROWS_WITH(parse(braid::serialise(settings)),
                      Contains("test: ") && Contains("'klingon'"));
}

TEST_CASE("Index settings: every truncation is refused, naming the key", "[property]") {
    const std::string whole = braid::serialise(unusual_settings());
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        database.set_metadata(braid::kIndexSettingsKey, whole.substr(0, size));
        CHECK_THROWS_AS(braid::load_index_settings(database), FormatError);
        CHECK_THROWS_WITH(braid::load_index_settings(database),
                          Contains("metadata key braid:index"));
    }
    database.set_metadata(braid::kIndexSettingsKey, whole + "x");
    CHECK_THROWS_AS(braid::load_index_settings(database), FormatError);
}

TEST_CASE("Index settings: changed bytes are refused or are other valid settings", "[property]") {
    const std::string whole = braid::serialise(unusual_settings());
    braid::Random random(braid::test::seed());
    std::size_t refused = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string bytes = whole;
        for (std::uint64_t change = random.below(3); change <= 2; ++change) {
            bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        }
        try {
            validate(parse(bytes));
        } catch (const FormatError&) {
            ++refused;
        }
    }
    CHECK(refused > 1000);
    CHECK_THROWS_AS(parse(std::string(1000, '\xff')), FormatError);
}

TEST_CASE("Index settings: a foreign value and a newer version are told apart") {
    CHECK_THROWS_WITH(parse("{\"stemmer\": 1}"), Contains("test: ") && Contains("index settings"));
    std::string newer = braid::serialise(IndexSettings());
    newer[4] = 3;  // after the magic "BrIx"
    CHECK_THROWS_WITH(parse(newer), Contains("a newer Braid wrote it"));
}

TEST_CASE("Stemmers: a database keeps what the first words' stemmers made") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    CHECK(braid::load_stemmers(database).empty());
    CHECK(braid::changed_stemmers(database).empty());
    braid::store_stemmer(database, "none");
    CHECK(braid::load_stemmers(database).empty());
    const braid::StemmerMark first = {"english", 1, "1.2.0"};
    braid::store_stemmers(database, {first});
    braid::store_stemmer(database, "english");
    braid::store_stemmer(database, "german");
    CHECK(braid::load_stemmers(database) == std::vector{first, braid::stemmer_mark("german")});
}

TEST_CASE("Stemmers: those that make other stems than another Xapian's did are named") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    braid::StemmerMark same = braid::stemmer_mark("english");
    braid::StemmerMark other = braid::stemmer_mark("german");
    same.xapian = other.xapian = "1.2.0";
    ++other.stems;
    braid::store_stemmers(database, {same, other, {"klingon", 1, "9.0.0"}});
    const std::vector<std::string> changed = braid::changed_stemmers(database);
    REQUIRE(changed.size() == 2);
    CHECK_THAT(changed[0], Contains("'german' of Xapian 1.2.0") && Contains("--rebuild"));
    CHECK_THAT(changed[1], Contains("'klingon' of Xapian 9.0.0"));
}

TEST_CASE("Stemmers: two stemmers differ on the words they are known by") {
    std::set<std::uint64_t> all;
    std::size_t languages = 0;
    std::istringstream names(Xapian::Stem::get_available_languages());
    for (std::string name; names >> name; ++languages) all.insert(braid::stemmer_mark(name).stems);
    CHECK(all.size() == languages);
}

TEST_CASE("Stemmers: a damaged record is said, and made anew") {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    database.set_metadata(braid::kStemmersKey, "rubbish");
    REQUIRE(braid::changed_stemmers(database).size() == 1);
    CHECK_THAT(braid::changed_stemmers(database)[0], Contains(braid::kStemmersKey));
    braid::store_stemmer(database, "english");
    CHECK(braid::load_stemmers(database) == std::vector{braid::stemmer_mark("english")});
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/table_file.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/tables/posting_table.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/damage.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

/// A database with topics, and its table file.
struct Fixture {
    explicit Fixture(VectorCoding coding = VectorCoding::kSigned8)
        : corpus(random, 150, 30, coding) {
        Xapian::WritableDatabase writer(database, Xapian::DB_CREATE);
        corpus.write_shard(writer, 0, 1);
        writer.close();
        write_table_files({database}, TableFiles::kMake);
        for (int i = 0; i < 8; ++i) queries.push_back(corpus.corpus().random_words(random, 3));
    }

    std::string file() const { return database + "/" + TableFile::kName; }

    Random random{seed(), 8};
    TopicCorpus corpus;
    TemporaryFolder folder;
    std::string database = folder / "db";
    std::vector<std::vector<std::string>> queries;
};

/// Whether a process that opens the database now has its lengths and vectors from the file.
bool is_mapped(const Fixture& fixture, const std::string& path) {
    const Xapian::Database database(path);
    VectorTables tables(VectorTables::kMostBytes, VectorTables::When::kWorthIt);
    const auto topics = tables.topics(database, {fixture.corpus.topics("lsa").id, 1000}, 8).table;
    const auto lengths = tables.lengths(database).table;
    CHECK((topics != nullptr) == (lengths != nullptr));
    CHECK((topics == nullptr || topics->is_mapped()));
    return topics != nullptr;
}

FusionModel model_of_test() {
    FusionModel model = bm25_and_lsa(4);
    model.rankers.push_back({.ranker = "lda", .weight = 2});
    return model;
}

/// What searches find, by the file if it can be used; `with` is false: without it.
std::vector<Scores> found(const Fixture& fixture, const std::string& path, bool with) {
    const Xapian::Database database(path);
    RankingSetup setup;
    if (!with) setup.vectors = nullptr;
    if (!with) setup.postings = nullptr;
    Ranking ranking(database, model_of_test(), setup);
    std::vector<Scores> all;
    for (const auto& words : fixture.queries) {
        all.push_back(applied(ranking, database, bag_of_words(words)).scores);
    }
    return all;
}

void check_same_results(const Fixture& fixture, const std::string& path) {
    CHECK(found(fixture, path, true) == found(fixture, path, false));
}

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// In the way that TableFile is: under another name first.
void replace(const std::string& path, const std::string& bytes) {
    std::ofstream(path + ".new", std::ios::binary) << bytes;
    fs::rename(path + ".new", path);
}

std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("braid")) {
            names.push_back(entry.path().filename());
        }
    }
    return names;
}

}  // namespace

TEST_CASE("TableFile: searches find the same with it, to the bit", "[property]") {
    for (const VectorCoding coding :
         {VectorCoding::kSigned8, VectorCoding::kFloat16, VectorCoding::kFloat32}) {
        const Fixture fixture(coding);
        REQUIRE(is_mapped(fixture, fixture.database));
        check_same_results(fixture, fixture.database);
        const auto file = TableFile::open(fixture.database);
        REQUIRE(file != nullptr);
        CHECK(file->damaged_pieces() == 0);
        REQUIRE(file->vectors().size() == 2);
        CHECK(file->vectors()[0].damaged + file->vectors()[1].damaged > 0);  // As the corpus has.
        const Xapian::Database database(fixture.database);
        for (auto d = database.postlist_begin(""); d != database.postlist_end(""); ++d) {
            CHECK(file->lengths().of(*d) == d.get_doclength());
        }
        CHECK(file->lengths().of(0) == TableFile::Lengths::kUnknown);
        CHECK(file->lengths().of(database.get_lastdocid() + 1000) == TableFile::Lengths::kUnknown);
    }
}

TEST_CASE("TableFile: similar documents are found as without it, which has no clusters") {
    const Fixture fixture;
    const Xapian::Database database(fixture.database);
    SearcherOptions with;
    with.search.candidates = SearchSettings::Candidates::kHybrid;
    SearcherOptions without = with;
    without.vectors = nullptr;
    for (const auto& words : fixture.queries) {
        const SearchRequest request = request_of(bag_of_words(words), 10);
        const FusionModel model = bm25_and_lsa(20);
        CHECK(searched(database, model, request, with) ==
              searched(database, model, request, without));
    }
}

TEST_CASE("TableFile: who goes on searching has its tables in memory") {
    const Fixture fixture;
    const Xapian::Database database(fixture.database);
    const TopicSlot model{fixture.corpus.topics("lsa").id, 1000};
    VectorTables tables(VectorTables::kMostBytes, VectorTables::When::kWorthIt);
    CHECK(tables.topics(database, model, 8).table->is_mapped());
    CHECK(tables.lengths(database).table->is_mapped());
    CHECK(tables.bytes() == 0);
    for (int i = 0; i < 20; ++i) {
        tables.topics(database, model, 8);
        tables.lengths(database);
    }
    CHECK_FALSE(tables.topics(database, model, 8).table->is_mapped());
    CHECK_FALSE(tables.lengths(database).table->is_mapped());
    // Nor is it mapped where a search by clusters asks, or all is read at once.
    VectorTables other(VectorTables::kMostBytes, VectorTables::When::kWorthIt);
    CHECK_FALSE(other.topics(database, model, 8, true).table->is_mapped());
    VectorTables at_once;
    CHECK_FALSE(at_once.topics(database, model, 8).table->is_mapped());
    // Where there is no room it stays so.
    VectorTables small(100, VectorTables::When::kWorthIt);
    for (int i = 0; i < 20; ++i) small.topics(database, model, 8);
    CHECK(small.topics(database, model, 8).table->is_mapped());
}

TEST_CASE("TableFile: any other commit ends it, and a new file is of the new state") {
    Fixture fixture;
    const Xapian::Database before(fixture.database);
    {
        Xapian::WritableDatabase writer(fixture.database);
        Xapian::Document document = writer.get_document(3);
        document.add_value(1000, fixture.corpus.value("lsa", 5));
        document.add_term(fixture.queries[0][0], 7);
        writer.replace_document(3, document);
        writer.commit();
    }
    CHECK_FALSE(is_mapped(fixture, fixture.database));
    check_same_results(fixture, fixture.database);
    write_table_files({fixture.database}, TableFiles::kRenew);
    CHECK(is_mapped(fixture, fixture.database));
    check_same_results(fixture, fixture.database);
    // A second time there is nothing to do, and no commit.
    const auto revision = Xapian::Database(fixture.database).get_revision();
    write_table_files({fixture.database}, TableFiles::kMake);
    CHECK(Xapian::Database(fixture.database).get_revision() == revision);
    // A handle on the old state doesn't take the new file.
    VectorTables tables;
    CHECK(TableFile::of(before, before.get_uuid(), before.get_revision()) == nullptr);
    // Metadata alone is a commit, too.
    {
        Xapian::WritableDatabase writer(fixture.database);
        writer.set_metadata("other", "x");
        writer.commit();
    }
    CHECK_FALSE(is_mapped(fixture, fixture.database));
}

TEST_CASE("TableFile: copies share it until one of them changes") {
    Fixture fixture;
    const std::string copy = fixture.folder / "copy";
    fs::copy(fixture.database, copy);
    CHECK(is_mapped(fixture, copy));
    check_same_results(fixture, copy);
    // One different commit each: same UUID, same revision, other content.
    for (const std::string& path : {fixture.database, copy}) {
        Xapian::WritableDatabase writer(path);
        Xapian::Document document = writer.get_document(path == copy ? 4 : 7);
        document.add_term(fixture.queries[1][0], 5);
        writer.replace_document(path == copy ? 4 : 7, document);
        writer.close();
        CHECK_FALSE(is_mapped(fixture, path));
        write_table_files({path}, TableFiles::kRenew);
        CHECK(is_mapped(fixture, path));
    }
    // The file of each isn't the other's.
    const std::string own = bytes_of(fixture.file());
    replace(fixture.file(), bytes_of(copy + "/" + TableFile::kName));
    CHECK_FALSE(is_mapped(fixture, fixture.database));
    check_same_results(fixture, fixture.database);
    replace(fixture.file(), own);
    CHECK(is_mapped(fixture, fixture.database));
    // With both open, handles of each find their own.
    const Xapian::Database other(copy);
    check_same_results(fixture, fixture.database);
    check_same_results(fixture, copy);
    CHECK(is_mapped(fixture, fixture.database));
    CHECK(is_mapped(fixture, copy));
}

TEST_CASE("TableFile: a damaged byte changes no result", "[property]") {
    Fixture fixture;
    const std::string whole = bytes_of(fixture.file());
    const auto expected = found(fixture, fixture.database, false);
    std::size_t unmapped = 0;
    for (int i = 0; i < 300; ++i) {
        std::string bytes = whole;
        // A third at the end, which says where everything is.
        const std::size_t at = i % 3 == 0
                                   ? bytes.size() - 1 - fixture.random.below(150)
                                   : static_cast<std::size_t>(fixture.random.below(bytes.size()));
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << fixture.random.below(8)));
        replace(fixture.file(), bytes);
        INFO("byte " << at << " of " << bytes.size());
        REQUIRE(found(fixture, fixture.database, true) == expected);
        try {
            const auto file = TableFile::open(fixture.database);
            if (file->damaged_pieces() == 0) {
                // What is between pieces has no checksum and no reader.
                CHECK(whole[at] == '\0');
            }
        } catch (const FormatError&) {
            ++unmapped;
        }
    }
    CHECK(unmapped > 50);
}

TEST_CASE("TableFile: a file of any other length changes no result, cut short or grown") {
    Fixture fixture;
    const std::string whole = bytes_of(fixture.file());
    const auto expected = found(fixture, fixture.database, false);
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
        replace(fixture.file(), whole.substr(0, size));
        INFO(size);
        REQUIRE(found(fixture, fixture.database, true) == expected);
    }
    replace(fixture.file(), whole + std::string(5000, '\0'));
    CHECK(found(fixture, fixture.database, true) == expected);
    replace(fixture.file(), "no table file at all");
    CHECK(found(fixture, fixture.database, true) == expected);
    fs::remove(fixture.file());
    fs::create_directory(fixture.file());
    CHECK(found(fixture, fixture.database, true) == expected);
}

TEST_CASE("TableFile: cut short while it is mapped, it is left alone from the next search on") {
    Fixture fixture;
    const auto expected = found(fixture, fixture.database, false);
    const Xapian::Database database(fixture.database);
    RankingSetup setup;
    Ranking ranking(database, model_of_test(), setup);
    const auto all = [&] {
        std::vector<Scores> scores;
        for (const auto& words : fixture.queries) {
            scores.push_back(applied(ranking, database, bag_of_words(words)).scores);
        }
        return scores;
    };
    CHECK(all() == expected);
    fs::permissions(fixture.file(), fs::perms::owner_all);
    for (const std::size_t size : {4096, 0}) {
        REQUIRE(truncate(fixture.file().c_str(), static_cast<off_t>(size)) == 0);
        CHECK(all() == expected);
    }
}

TEST_CASE("TableFile: a full disk leaves no file, and nothing of one") {
    Fixture fixture;
    const auto expected = found(fixture, fixture.database, false);
    {
        Xapian::WritableDatabase writer(fixture.database);
        writer.set_metadata("other", "x");
        writer.commit();
    }
    const std::size_t size = fs::file_size(fixture.file());
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit less = before;
    // The database's own files are larger than that already; writes within them go on.
    less.rlim_cur = size / 2;
    setrlimit(RLIMIT_FSIZE, &less);
    write_table_files({fixture.database}, TableFiles::kRenew);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(files_in(fixture.database) == std::vector<std::string>{TableFile::kName});
    CHECK_FALSE(is_mapped(fixture, fixture.database));
    CHECK(found(fixture, fixture.database, true) == expected);
    write_table_files({fixture.database}, TableFiles::kRenew);
    CHECK(is_mapped(fixture, fixture.database));
}

TEST_CASE("TableFile: who may not read the database may not read it") {
    Fixture fixture;
    const fs::path table = fixture.database + "/postlist.glass";
    for (const fs::perms rights : {fs::perms{0600}, fs::perms{0640}, fs::perms{0644}}) {
        fs::permissions(table, rights);
        fs::remove(fixture.file());  // A whole one stays as it is.
        write_table_files({fixture.database}, TableFiles::kMake);
        const fs::perms readers = rights & fs::perms{0444};
        CHECK((fs::status(fixture.file()).permissions() & fs::perms{0777}) == readers);
        CHECK(is_mapped(fixture, fixture.database));
    }
}

TEST_CASE("TableFile: only databases that had one get another") {
    Fixture fixture;
    const std::string plain = fixture.folder / "plain";
    {
        Xapian::WritableDatabase writer(plain, Xapian::DB_CREATE);
        fixture.corpus.write_shard(writer, 0, 1);
    }
    write_table_files({plain}, TableFiles::kRenew);
    CHECK(files_in(plain).empty());
    // Nor where documents are few among their numbers, what isn't there, and a foreign writer's.
    {
        Xapian::WritableDatabase writer(plain);
        writer.replace_document(1'000'000, Xapian::Document());
    }
    write_table_files({plain, fixture.folder / "absent", "host:1"}, TableFiles::kMake);
    CHECK(files_in(plain).empty());
    const Xapian::WritableDatabase locked(fixture.database);
    write_table_files({fixture.database}, TableFiles::kMake);
    CHECK(is_mapped(fixture, fixture.database));
}

TEST_CASE("TableFile: a damaged or newer mark is none") {
    Fixture fixture;
    const auto expected = found(fixture, fixture.database, false);
    for (const std::string mark : {"x", "BrTM\2\1\1abcd", ""}) {
        {
            Xapian::WritableDatabase writer(fixture.database);
            writer.set_metadata(kTableFileKey, mark);
            writer.commit();
        }
        CHECK_FALSE(is_mapped(fixture, fixture.database));
        CHECK(found(fixture, fixture.database, true) == expected);
    }
}

TEST_CASE("TableFile: no changed or truncated mark reads as one", "[property]") {
    const Fixture fixture;
    const std::string mark = Xapian::Database(fixture.database).get_metadata(kTableFileKey);
    Xapian::WritableDatabase memory("", Xapian::DB_BACKEND_INMEMORY);
    check_damage_shows("mark", mark, [&](const std::string& bytes) -> std::optional<std::string> {
        memory.set_metadata(kTableFileKey, bytes);
        const TableFileState state = look_at_table_file(memory);
        if (bytes.empty() || state.is_damaged) return std::nullopt;
        return bytes;
    });
}

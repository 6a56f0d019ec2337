// SPDX-License-Identifier: GPL-2.0-or-later
// A program under `braid with` behaves as without Braid, whatever is wrong with the model, the
// database, the disk or Braid's own files. Each output is compared with that of a run without.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/random.h"
#include "braid/plugin/store/keys.h"
#include "braid/tests/with/with_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

CommandResult without(const Strings& program) {
    Strings words = {"with", "--", "env", "-u", "LD_PRELOAD"};
    words.insert(words.end(), program.begin(), program.end());
    return run_braid(words);
}

void check_same(const CommandResult& found, const CommandResult& expected) {
    CHECK(found.code == expected.code);
    CHECK(found.out == expected.out);
    CHECK(found.err == expected.err);
}

void change(const std::string& database, const std::function<void(Xapian::WritableDatabase&)>& by) {
    Xapian::WritableDatabase writable(database);
    by(writable);
    writable.commit();
}

Strings program(const WithFixture& fixture, const std::string& task) {
    return {BRAID_WITH_PROGRAM, fixture.database, task};
}

bool all_contain(const Strings& lines, const std::string& part) {
    for (const std::string& line : lines) {
        if (line.find(part) == std::string::npos) return false;
    }
    return !lines.empty();
}

/// What comes after the first ": ".
std::string hits_in(const std::string& line) {
    const auto colon = line.find(':');
    return colon == std::string::npos ? "" : line.substr(colon + 1);
}

}  // namespace

TEST_CASE("With: a program reads back what it set") {
    const WithFixture fixture;
    const Strings call = program(fixture, "read-back");
    const CommandResult found = fixture.with(call);
    check_same(found, without(call));
    CHECK(found.out.find("another scheme: ") != std::string::npos);
    REQUIRE(fixture.logged().size() == 6);
    CHECK(fixture.logged()[0].find("] ranked: ") != std::string::npos);
    const Strings reasons = {"a relevance set is given", "sorted by a value or a key",
                             "sorted by a value or a key", "another weighting scheme than BM25",
                             "a cut-off is set"};
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        CHECK(fixture.logged()[i + 1].find("] untouched: " + reasons[i]) != std::string::npos);
    }
}

TEST_CASE("With: every way to make an Enquire, and pages, have one ranking") {
    const WithFixture fixture;
    const CommandResult found = fixture.with(program(fixture, "handles"));
    REQUIRE(found.code == 0);
    CHECK(all_contain(fixture.logged(), "] ranked: "));
    const Strings lines = lines_of(found.out);
    REQUIRE(lines.size() == 9);
    for (const std::string& line : lines) CHECK(hits_in(line) == hits_in(lines[0]));
    CHECK(hits_in(lines[0]) != hits_in(lines_of(without(program(fixture, "handles")).out)[0]));
}

TEST_CASE("With: threads and forks") {
    const WithFixture fixture;
    const std::string expected = lines_of(fixture.with(program(fixture, "handles")).out)[0];
    for (const std::string task : {"threads", "fork"}) {
        INFO(task);
        const CommandResult found = fixture.with(program(fixture, task));
        CHECK(found.code == 0);
        CHECK(found.err.empty());
        REQUIRE(lines_of(found.out).size() == 8);
        CHECK(all_contain(lines_of(found.out), expected));
        CHECK(all_contain(fixture.logged(), "] ranked: "));
    }
}

TEST_CASE("With: a fork meets another thread's first search") {
    const WithFixture fixture;
    const std::string expected = lines_of(fixture.with(program(fixture, "handles")).out)[0];
    const auto late_by = [&](const std::string& milliseconds) {
        const std::string preloaded = preload_name(BRAID_WITH_SLOW_LIBRARY);
        const Strings call = {
            "sh",
            "-c",
            R"(export LD_PRELOAD="$LD_PRELOAD:$1" SLOW_LIBRARY="$2"; shift 2; "$@")",
            "sh",
            preloaded,
            milliseconds,
            BRAID_WITH_PROGRAM,
            fixture.database,
            "fork",
            "100"};
        return fixture.with(call);
    };
    const CommandResult found = late_by("400");
    CHECK(found.code == 0);
    REQUIRE(lines_of(found.out).size() == 8);
    CHECK(all_contain(lines_of(found.out), expected));
    // A search that takes longer isn't waited for, and the children of that time aren't ranked.
    const auto begin = std::chrono::steady_clock::now();
    const CommandResult late = late_by("3000");
    CHECK(late.code == 0);
    CHECK(lines_of(late.out).size() == 8);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("With: a database that is written while it is searched") {
    const WithFixture fixture;
    const CommandResult found = fixture.with(program(fixture, "written"));
    const WithFixture same;
    CHECK(found.code == 0);
    // A search of so small a database needs nothing that two commits took away; the model's does,
    // and once the program reopened it sees the documents that were added, one a commit.
    Strings sizes = lines_of(found.out);
    std::erase(sizes, "modified");
    const Strings plain = lines_of(without(program(same, "written")).out);
    REQUIRE(plain.size() == 12);
    REQUIRE(sizes.size() == plain.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CHECK(std::stoul(sizes[i]) >= std::stoul(plain[i]));
        CHECK(std::stoul(sizes[i]) <= std::min(std::stoul(plain[0]) + i + 1, 10UL));
    }
    CHECK(all_contain(fixture.logged(), "] ranked: "));
}

TEST_CASE("With: a database that is open for writing") {
    const WithFixture fixture;
    const Strings call = program(fixture, "writable");
    check_same(fixture.with(call), without(call));
    CHECK(all_contain(fixture.logged(), "untouched: the database is open for writing"));
}

TEST_CASE("With: a database that another one replaces between two searches") {
    const WithFixture fixture;
    const WithFixture other(false);
    const std::string stub = fixture.folder / "stub";
    const auto point_to = [&](const std::string& database) {
        write_file(stub, "auto " + database + "\n");
    };
    point_to(fixture.database);
    const Strings call = {BRAID_WITH_PROGRAM, stub, "replaced"};
    const CommandResult expected = without(call);
    point_to(fixture.database);
    const CommandResult found = fixture.with(call);
    CHECK(found.code == expected.code);
    CHECK(found.err == expected.err);
    CHECK(lines_of(found.out).size() == lines_of(expected.out).size());
}

namespace {

// The program ranks by itself once `damage` is done.
void check_left_alone(const WithFixture& fixture,
                      const std::function<void(Xapian::WritableDatabase&)>& damage) {
    const Strings call = program(fixture, "handles");
    const CommandResult expected = without(call);
    change(fixture.database, damage);
    check_same(fixture.with(call), expected);
    CHECK(all_contain(fixture.logged(), "] untouched: "));
}

}  // namespace

TEST_CASE("With: a model that can't be used leaves the program's ranking") {
    const WithFixture fixture;
    std::string bytes = Xapian::Database(fixture.database).get_metadata(kFusionModelKey);
    REQUIRE(bytes.size() > 20);
    SECTION("corrupt") { bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1); }
    SECTION("cut off") { bytes.resize(bytes.size() / 2); }
    SECTION("foreign") { bytes = "another program's"; }
    SECTION("newer") {
        ByteWriter body;
        body.text("what only a newer Braid knows");
        bytes = write_stored({.magic = bytes.substr(0, 4), .version = 99, .kind = ""}, body);
    }
    SECTION("of topics that the database hasn't") {
        change(fixture.database, [](Xapian::WritableDatabase& writable) {
            FusionModel model;
            model.rankers = {{.ranker = "lda"}};
            store_fusion_model(writable, model);
        });
        bytes = Xapian::Database(fixture.database).get_metadata(kFusionModelKey);
    }
    SECTION("of rankers that take two passes") {
        change(fixture.database, [](Xapian::WritableDatabase& writable) {
            FusionModel model;
            model.rankers = {{.ranker = "bm25"}, {.ranker = "dph"}};
            model.normaliser.normaliser = "min-max";
            store_fusion_model(writable, model);
        });
        bytes = Xapian::Database(fixture.database).get_metadata(kFusionModelKey);
    }
    check_left_alone(fixture, [&](Xapian::WritableDatabase& writable) {
        writable.set_metadata(kFusionModelKey, bytes);
    });
}

TEST_CASE("With: topics that are damaged leave the program's ranking") {
    check_left_alone(WithFixture(), [](Xapian::WritableDatabase& writable) {
        const std::string key = kTopicCatalogueKey;
        writable.set_metadata(key, writable.get_metadata(key).substr(1));
    });
}

TEST_CASE("With: a log or library that can't be used leaves the program as it is") {
    const WithFixture fixture;
    const Strings call = program(fixture, "handles");
    const CommandResult expected = without(call);
    const std::string ranked = fixture.with(call).out;
    SECTION("a log on a full disk, in no folder, in a folder of its name") {
        for (const std::string log : {"/dev/full", "/no/such/folder/log", "/"}) {
            INFO(log);
            Strings words = {"env", "BRAID_WITH_LOG=" + log};
            words.insert(words.end(), call.begin(), call.end());
            const CommandResult found = fixture.with(words);
            CHECK(found.out == ranked);
            CHECK(found.err.empty());
        }
    }
    SECTION("the ranking library") {
        const fs::path library = fixture.folder / "libbraid-with.so";
        fs::copy(BRAID_WITH_LIBRARY, library);
        Strings words = {"env", "LD_PRELOAD=" + library.string()};
        words.insert(words.end(), call.begin(), call.end());
        SECTION("isn't there") {}
        SECTION("is none") { write_file(fixture.folder / "libbraid-with-rank.so", "text"); }
        check_same(fixture.with(words), expected);
        CHECK(fixture.logged().back().find("libbraid-with-rank.so") != std::string::npos);
    }
}

TEST_CASE("With: a model file that goes while programs run leaves their ranking") {
    const WithFixture fixture;
    const Strings call = program(fixture, "handles");
    const CommandResult expected = without(call);
    const std::string model =
        fixture.folder.file("model\u202e\u009b.yaml", "model:\n  rankers:\n    - {ranker: lsa}\n");
    Strings words = {"sh", "-c", "rm \"$1\"; shift; \"$@\"", "sh", model};
    words.insert(words.end(), call.begin(), call.end());
    check_same(fixture.with(words, {"--model", model}), expected);
    CHECK(all_contain(fixture.logged(), "] untouched: "));
    // Its name, as a terminal may show it.
    CHECK(all_contain(fixture.logged(), "model\\u202E\\u009B.yaml"));
}

TEST_CASE("With: where a damaged database serves a program, it does under Braid", "[property]") {
    const WithFixture fixture;
    Random random(seed(), 5);
    const Strings call = program(fixture, "handles");
    const fs::path table = fs::path(fixture.database) / "postlist.glass";
    const std::string whole = read_file(table);
    const std::string intact = fixture.folder / "intact";
    fs::copy(fixture.database, intact, fs::copy_options::recursive);
    // Whether Xapian alone crashes, too, or reads where it may not (tests/trust/guarded_new.cpp).
    const auto xapian_crashes = [&] {
        const Strings walk = {BRAID_WALK, fixture.database, intact};
        Strings guarded = {"env", "WALK_GUARDED=1"};
        guarded.insert(guarded.end(), walk.begin(), walk.end());
        return without(walk).code >= 128 || without(guarded).code >= 128;
    };
    unsigned served = 0;
    unsigned untouched = 0;
    for (int i = 0; i < 60; ++i) {
        std::string damaged = whole;
        for (int flips = 0; flips < 8; ++flips) {
            char& byte = damaged[random.below(damaged.size())];
            byte = static_cast<char>(byte ^ static_cast<char>(1U << random.below(8)));
        }
        write_file(table, damaged);
        fs::remove(fixture.log);
        const CommandResult expected = without(call);
        const CommandResult found = fixture.with(call);
        INFO(expected.out << expected.err << "with: " << found.out << found.err);
        // Xapian reads on behind a damaged block; whether that crashes depends on what is there.
        if (found.code >= 128 && xapian_crashes()) continue;
        CHECK(found.code < 128);
        CHECK(found.err == expected.err);
        if (expected.code != 0) continue;
        ++served;
        CHECK(found.code == 0);
        CHECK(lines_of(found.out).size() == lines_of(expected.out).size());
        if (!all_contain(fixture.logged(), "] untouched: ")) continue;
        ++untouched;
        CHECK(found.out == expected.out);
    }
    CHECK(served > 5);
    CHECK(untouched > 0);
}

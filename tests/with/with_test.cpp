// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/ranking.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"
#include "braid/tests/with/with_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

std::vector<Xapian::docid> docids_of(const std::string& quest_output) {
    static const std::regex hit(R"(^(\d+): \[)");
    std::vector<Xapian::docid> docids;
    for (const std::string& line : lines_of(quest_output)) {
        std::smatch found;
        if (std::regex_search(line, found, hit)) {
            docids.push_back(static_cast<Xapian::docid>(std::stoul(found[1])));
        }
    }
    return docids;
}

std::vector<Xapian::docid> docids_of(const Xapian::MSet& found) {
    return {found.begin(), found.end()};
}

/// As quest parses it.
Xapian::Query parsed(const std::string& text) {
    Xapian::QueryParser parser;
    parser.set_stemmer(Xapian::Stem("en"));
    parser.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
    return parser.parse_query(text);
}

std::vector<Xapian::docid> ranked(const Xapian::Database& database, const Xapian::Query& query) {
    Xapian::Enquire enquire(database);
    Ranking ranking(database);
    ranking.apply(enquire, query);
    return docids_of(enquire.get_mset(0, 10));
}

std::string random_words(Random& random) {
    std::string words;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
        words += (words.empty() ? "w" : " w") + std::to_string(random.below(60));
    }
    return words;
}

std::string dynamic_section(const std::string& library) {
    const std::string call = std::string(BRAID_READELF) + " -d '" + library + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(call.c_str(), "r"), pclose);
    std::string text;
    for (int c = std::fgetc(output.get()); c != EOF; c = std::fgetc(output.get())) {
        text += static_cast<char>(c);
    }
    return text;
}

}  // namespace

TEST_CASE("With: what is preloaded needs the C library alone") {
    Strings needed;
    for (const std::string& line : lines_of(dynamic_section(BRAID_WITH_LIBRARY))) {
        if (line.find("(NEEDED)") != std::string::npos) needed.push_back(line);
    }
    REQUIRE(needed.size() == 1);
    CHECK(needed[0].find("libc.so") != std::string::npos);
}

TEST_CASE("With: quest ranks as Ranking does") {
    BRAID_SKIP_WITHOUT_PROGRAM("quest");
    const WithFixture fixture;
    const Xapian::Database database(fixture.database);
    Random random(seed(), 1);
    unsigned otherwise = 0;
    for (std::size_t i = 0; i < 50; ++i) {
        const std::string words = random_words(random);
        const CommandResult result = fixture.quest(words);
        INFO(words << '\n' << result.out << result.err);
        REQUIRE(result.code == 0);
        CHECK(docids_of(result.out) == ranked(database, parsed(words)));
        const Strings logged = fixture.logged();
        REQUIRE(logged.size() == i + 1);
        CHECK(logged.back().find("] ranked: ") != std::string::npos);
        CHECK(logged.back().find(parsed(words).get_description()) != std::string::npos);
        Xapian::Enquire enquire(database);
        enquire.set_query(parsed(words));
        if (docids_of(enquire.get_mset(0, 10)) != docids_of(result.out)) ++otherwise;
    }
    CHECK(otherwise > 10);  // Else the model ranks as BM25, and this shows nothing.
}

TEST_CASE("With: a program without a model ranks as ever") {
    BRAID_SKIP_WITHOUT_PROGRAM("quest");
    const WithFixture fixture(false);
    const CommandResult result = fixture.quest("w1 w2");
    CHECK(result.out.find("[") != std::string::npos);
    REQUIRE(fixture.logged().size() == 1);
    CHECK(fixture.logged()[0].find("untouched: the database has no installed model") !=
          std::string::npos);

    SECTION("and by a model that is named") {
        const CommandResult named = fixture.quest("w1 w2", {"--model", "lsa"});
        CHECK(fixture.logged().back().find("] ranked: ") != std::string::npos);
        CHECK(named.out != result.out);
    }
}

TEST_CASE("With: mistakes are told") {
    CHECK(run_braid({"with"}).code == 2);
    const CommandResult missing = run_braid({"with", "--", "no-such-program"});
    CHECK(missing.code == 1);
    CHECK(missing.err == "braid: can't run no-such-program: No such file or directory\n");
    const CommandResult model = run_braid({"with", "--model", "bm52", "--", "true"});
    CHECK(model.code == 2);
    CHECK(model.err.find("unknown model 'bm52'") != std::string::npos);
}

TEST_CASE("With: the program gets its arguments, its code and what else is preloaded") {
    const CommandResult result = run_braid(
        {"with", "--", "sh", "-c", "echo \"$LD_PRELOAD\"; echo \"$1\"; exit 7", "sh", "a  b"});
    CHECK(result.code == 7);
    REQUIRE(lines_of(result.out).size() == 2);
    const std::string preloaded = lines_of(result.out)[0];
    // Below a folder with a space in its name it is a link.
    CHECK(fs::canonical(preloaded).filename() == "libbraid-with.so");
    CHECK(lines_of(result.out)[1] == "a  b");
    // One `braid with` below another.
    const CommandResult twice =
        run_braid({"with", "--", BRAID_COMMAND, "with", "--", "sh", "-c", "echo \"$LD_PRELOAD\""});
    CHECK(twice.out == preloaded + '\n');
}

TEST_CASE("With: a folder with a space in its name") {
    BRAID_SKIP_WITHOUT_PROGRAM("quest");
    const WithFixture fixture;
    const fs::path folder = fixture.folder / "a b";
    fs::create_directories(folder / "bin");
    fs::create_directories(folder / "with");
    fs::copy(BRAID_COMMAND, folder / "bin");
    fs::copy(BRAID_WITH_LIBRARY, folder / "with");
    fs::copy(BRAID_WITH_RANK_LIBRARY, folder / "with");
    const std::string command = "'" + (folder / "bin/braid").string() + "' with --log '" +
                                fixture.log + "' -- quest --db='" + fixture.database + "' w1";
    CHECK(std::system((command + " >/dev/null").c_str()) == 0);
    REQUIRE(fixture.logged().size() == 1);
    CHECK(fixture.logged()[0].find("] ranked: ") != std::string::npos);
}

TEST_CASE("With: what can't rank is refused by name") {
    const WithFixture fixture;
    const CommandResult server = run_braid({"with", "--", "/usr/bin/xapian-progsrv", "db"});
    CHECK(server.code == 1);
    CHECK(server.err.find("xapian-progsrv") != std::string::npos);
    CHECK(server.err.find("braid-tcpsrv") != std::string::npos);
    const CommandResult none =
        run_braid({"with", "--sidecar", fixture.database, "--", "sh", "-c", "true"});
    CHECK(none.code == 1);
    CHECK(none.err.find("found no sidecar") != std::string::npos);
}

TEST_CASE("With: a sidecar ranks its own database alone") {
    BRAID_SKIP_WITHOUT_PROGRAM("quest");
    const WithFixture fixture(false);
    const std::string sidecar = fixture.folder / "sidecar";
    REQUIRE(fixture.run("adopt", {"--topics", "lsa:5", "--quiet", "--sidecar", sidecar}).code == 0);
    {
        Xapian::WritableDatabase writable(sidecar);
        FusionModel model;
        model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 20}};
        store_fusion_model(writable, model);
    }
    const TopicFixture foreign;  // Of another UUID.
    REQUIRE(fixture.quest("w1 OR w7", {"--sidecar", sidecar}).code == 0);
    REQUIRE(
        fixture.with({"quest", "--db=" + foreign.database, "w1"}, {"--sidecar", sidecar}).code ==
        0);
    const Strings logged = fixture.logged();
    REQUIRE(logged.size() == 2);
    CHECK(logged[0].find("] ranked: ") != std::string::npos);
    CHECK(logged[0].find("(lsa)") != std::string::npos);
    CHECK(logged[1].find("] untouched: ") != std::string::npos);
}

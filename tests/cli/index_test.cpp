// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr char kDocuments[] =
    "{\"_id\": \"a\", \"title\": \"Red cats\", \"text\": \"Cats are running.\"}\n"
    "{\"_id\": \"b\", \"title\": \"Dogs\", \"text\": \"The dogs sleep.\"}\n";

// A folder with documents, and what is made of them.
struct Fixture {
    Fixture() { write_file(input, kDocuments); }

    CommandResult index(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments = {"index", "--db", database};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (std::find(more.begin(), more.end(), "-") == more.end()) arguments.push_back(input);
        return run_braid(arguments);
    }

    bool has(const std::string& term) const { return Xapian::Database(database).term_exists(term); }

    TemporaryFolder folder;
    std::string input = folder / "documents.jsonl";
    std::string database = folder / "db";
};

}  // namespace

TEST_CASE("braid index: builds a database, and says in one line what it did") {
    const Fixture fixture;
    const CommandResult result = fixture.index();
    CHECK(result.code == 0);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains("2 documents in ") && Contains(" a second): 2 added\n"));
    CHECK(fixture.has("Zrun"));
    CHECK(fixture.has("ZSred"));
    CHECK(fixture.has("Qa"));
    CHECK_THAT(fixture.index().err, Contains("0 added, 2 unchanged\n"));
    const CommandResult quiet = fixture.index({"--quiet"});
    CHECK(quiet.code == 0);
    CHECK(quiet.err.empty());
}

TEST_CASE("braid index: reads standard input, folders and several files") {
    const Fixture fixture;
    const CommandResult piped =
        run_braid({"index", "--db", fixture.database, "--format", "jsonl", "-"}, kDocuments);
    CHECK(piped.code == 0);
    CHECK_THAT(piped.err, Contains("2 added"));
    fs::create_directory(fixture.folder / "texts");
    write_file(fixture.folder / "texts/one.txt", "walrus");
    write_file(fixture.folder / "texts/two.txt", "penguin");
    CHECK(fixture.index({fixture.folder / "texts"}).code == 0);
    CHECK(fixture.has("walrus"));
    CHECK(Xapian::Database(fixture.database).get_doccount() == 4);
}

TEST_CASE("braid index: --json prints a summary for programs") {
    const Fixture fixture;
    const CommandResult result = fixture.index({"--json", "--quiet"});
    const nlohmann::json summary = nlohmann::json::parse(result.out);
    CHECK(summary["documents"] == 2);
    CHECK(summary["added"] == 2);
    CHECK(summary["replaced"] == 0);
    CHECK(summary["warnings"] == 0);
    CHECK(summary["seconds"].get<double>() > 0);
}

TEST_CASE("braid index: a second collection that replaces the first is warned of") {
    const TemporaryFolder folder;
    const auto index = [&](const std::string& word, int first, const char* more = "") {
        std::string lines;
        for (int d = first; d < first + 5; ++d) {
            lines += "{\"id\": \"" + std::to_string(d) + "\", \"text\": \"" + word + "\"}\n";
        }
        write_file(folder / "documents.jsonl", lines + more);
        return run_braid({"index", "--db", folder / "db", folder / "documents.jsonl", "-q"}).err;
    };
    CHECK(index("first", 1).empty());
    CHECK_THAT(index("second", 1),
               Contains("warning") && Contains("5 of 5 documents replaced others of the same ids"));
    CHECK(index("second", 1).empty());
    CHECK(index("third", 4, "{\"id\": \"1\", \"text\": \"second\"}\n").empty());
    CHECK(index("new", 100).empty());
}

TEST_CASE("braid index: flags go over the configuration") {
    const Fixture fixture;
    write_file(fixture.folder / "words", "cats\n");
    write_file(fixture.folder / "braid.yaml",
               "index:\n  analysis: {stemmer: none, stop_documents: true}\n"
               "  fields: [{name: text}]\n");
    CHECK(fixture
              .index({"--config", fixture.folder / "braid.yaml", "--stemmer", "english",
                      "--stop-words", fixture.folder / "words"})
              .code == 0);
    CHECK(fixture.has("Zrun"));
    CHECK(fixture.has("the"));
    CHECK_FALSE(fixture.has("cats"));
    CHECK_FALSE(fixture.has("red"));
}

TEST_CASE("braid index: an existing database keeps its settings, or is rebuilt") {
    const Fixture fixture;
    fixture.index({"--stemmer", "none"});
    CHECK(fixture.index().code == 0);  // no configuration: the database's own
    CHECK_FALSE(fixture.has("Zrun"));
    CHECK(fixture.index({"--batch", "1"}).code == 0);
    const CommandResult refused = fixture.index({"--stemmer", "english"});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err,
               Contains("was indexed with other settings") && Contains("stemmer: none, english"));
    write_file(fixture.folder / "braid.yaml", "{}\n");
    CHECK(fixture.index({"--config", fixture.folder / "braid.yaml"}).code == 1);
    CHECK_THAT(fixture.index({"--stemmer", "english", "--rebuild"}).err, Contains("2 added"));
    CHECK(fixture.has("Zrun"));
    CHECK(fixture.index({"--rebuild"}).code == 0);
    CHECK(fixture.has("Zrun"));
}

TEST_CASE("braid index: warnings are counted, and errors with --strict") {
    const Fixture fixture;
    write_file(fixture.input, std::string(kDocuments) + "{\"_id\": \"a\", \"text\": \"again\"}\n");
    const CommandResult lenient = fixture.index();
    CHECK(lenient.code == 0);
    CHECK_THAT(lenient.err, Contains("warning: ") && Contains(":3: a second document called 'a'") &&
                                Contains("1 of a name that came before, 1 warning\n"));
    const CommandResult strict = run_braid(
        {"index", "--db", fixture.folder / "strict", "--strict", "--batch", "1", fixture.input});
    CHECK(strict.code == 1);
    CHECK_THAT(strict.err, Contains("a second document called 'a'") && Contains("--strict"));
    CHECK(Xapian::Database((fixture.folder / "strict").string()).get_doccount() == 2);
}

TEST_CASE("braid index: wrong calls end with 2 and leave nothing behind") {
    const Fixture fixture;
    CHECK(run_braid({"index", fixture.input}).code == 2);
    CHECK(run_braid({"index", "--db", fixture.database}).code == 2);
    CHECK(fixture.index({"--no-such-flag"}).code == 2);
    CHECK(fixture.index({"--batch", "many"}).code == 2);
    CHECK(fixture.index({"--delimiter", "ab"}).code == 2);
    const CommandResult format = fixture.index({"--format", "jsonll"});
    CHECK(format.code == 2);
    CHECK_THAT(format.err, Contains("did you mean 'jsonl'?"));
    const CommandResult stemmer = fixture.index({"--stemmer", "englisch"});
    CHECK(stemmer.code == 2);
    CHECK_THAT(stemmer.err, Contains("did you mean 'english'?"));
    CHECK(fixture.index({"--batch", "0"}).code != 0);
    CHECK_FALSE(fs::exists(fixture.database));
}

TEST_CASE("braid index: wrong input ends with 1 and leaves nothing behind") {
    const Fixture fixture;
    const CommandResult absent = fixture.index({fixture.folder / "absent"});
    CHECK(absent.code == 1);
    CHECK_THAT(absent.err, Contains("absent: can't open: No such file"));
    CHECK(fixture.index({"--stop-words", fixture.folder / "absent"}).code == 1);
    CHECK(fixture.index({"--config", fixture.folder / "absent.yaml"}).code != 0);
    write_file(fixture.folder / "binary", std::string("\x7f"
                                                      "ELF\0\0\1\2\3",
                                                      9));
    CHECK(fixture.index({fixture.folder / "binary"}).code == 1);
    CHECK_FALSE(fs::exists(fixture.database));
}

TEST_CASE("braid index: a place that isn't its database is left alone") {
    const Fixture fixture;
    fs::create_directory(fixture.database);
    write_file(fixture.database + "/notes", "mine");
    const CommandResult result = fixture.index();
    CHECK(result.code == 1);
    CHECK_THAT(result.err, Contains("holds something other than a database"));
    CHECK(std::distance(fs::directory_iterator(fixture.database), {}) == 1);
}

TEST_CASE("braid index: the help has an example and every format") {
    const CommandResult help = run_braid({"index", "--help"});
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Contains("Examples:") && Contains("--rebuild") && Contains("smart, trec"));
}

TEST_CASE("braid index: a prefix keeps collections of the same names apart") {
    const Fixture fixture;
    REQUIRE(fixture.index({"--id-prefix", "one:"}).code == 0);
    const CommandResult second = fixture.index({"--id-prefix", "two:"});
    REQUIRE(second.code == 0);
    CHECK_THAT(second.err, Contains("2 added") && !Contains("replaced"));
    for (const char* name : {"Qone:a", "Qone:b", "Qtwo:a", "Qtwo:b"}) CHECK(fixture.has(name));
    CHECK(!fixture.has("Qa"));
    const CommandResult blank = fixture.index({"--id-prefix", "a b"});
    CHECK(blank.code == 2);
    CHECK_THAT(blank.err, Contains("without blanks"));
    CHECK(fixture.index({"--id-prefix", "a:", "--id-prefix", "b:"}).code == 2);
}

// Two collections whose documents, queries and judgements have the same names.
TEST_CASE("braid: a merged collection is made, asked, judged and learned from by commands alone") {
    const Fixture fixture;
    REQUIRE(fixture.index({"--id-prefix", "one:"}).code == 0);
    REQUIRE(fixture.index({"--id-prefix", "two:"}).code == 0);
    const std::string first = fixture.folder.file("1.tsv", "01\tcats running\n2\tdogs\n");
    const std::string second = fixture.folder.file("2.tsv", "1\tsleeping dogs\n02\tcats\n");
    const std::string judged = fixture.folder.file("qrels", "1 0 a 1\n2 0 b 1\n");
    const std::vector<std::string> prefixes = {"--id-prefix", "one:", "--id-prefix", "two:"};
    const auto call = [&](std::vector<std::string> arguments, bool has_prefixes = true) {
        if (has_prefixes) arguments.insert(arguments.end(), prefixes.begin(), prefixes.end());
        return run_braid(arguments);
    };
    const CommandResult run =
        call({"run", "--db", fixture.database, "--queries", first, "--queries", second});
    REQUIRE(run.code == 0);
    CHECK_THAT(run.out, Contains("one:1 Q0 one:a 1 ") || Contains("one:1 Q0 two:a 1 "));
    CHECK_THAT(run.out, Contains("two:2 Q0 ") && !Contains("02 Q0"));
    const std::string run_file = fixture.folder.file("all.run", run.out);
    const CommandResult measured = call(
        {"eval", "--qrels", judged, "--qrels", judged, run_file, "--json", "--measures", "map"});
    REQUIRE(measured.code == 0);
    const auto json = nlohmann::json::parse(measured.out);
    CHECK(json["judgements"]["queries"] == 4);
    CHECK(json["runs"][0]["interpolated_precision"].size() == 11);
    // one:1 finds both copies of a at once: its own is first or second, by name the second.
    CHECK(json["runs"][0]["mean"]["map"] > 0);
    CHECK(call({"features", "--db", fixture.database, "--queries", first, "--queries", second,
                "--qrels", judged, "--qrels", judged})
              .code == 0);
    const CommandResult twice =
        call({"run", "--db", fixture.database, "--queries", first, "--queries", first}, false);
    CHECK(twice.code == 1);
    CHECK_THAT(twice.err, Contains("query 01 is in") && Contains("--id-prefix"));
    const CommandResult few = call({"run", "--db", fixture.database, "--queries", first});
    CHECK(few.code == 2);
    CHECK_THAT(few.err, Contains("--id-prefix: found 2, expected as many as --queries"));
    const CommandResult conflict =
        call({"eval", "--qrels", judged, "--qrels", second + ".qrels", run_file}, false);
    CHECK(conflict.code == 1);
}

TEST_CASE("braid eval: grades of two files that contradict each other are warned of") {
    const Fixture fixture;
    const std::string one = fixture.folder.file("1.qrels", "1 0 a 1\n");
    const std::string two = fixture.folder.file("2.qrels", "1 0 a 0\n2 0 b 1\n");
    const std::string run = fixture.folder.file("a.run", "1 Q0 a 1 1 x\n2 Q0 b 1 1 x\n");
    const CommandResult result = run_braid({"eval", "--qrels", one, "--qrels", two, run});
    CHECK(result.code == 0);
    CHECK_THAT(result.err, Contains("1 pairs of query and document have two grades"));
}

TEST_CASE("braid run: finds words as they are in a database without a stemmer") {
    for (const char* words : {"none", "english"}) {
        const Fixture fixture;
        REQUIRE(fixture.index({"--stemmer", "none", "--stop-words", words}).code == 0);
        const std::string queries =
            fixture.folder.file("queries.tsv", "1\tcats\n2\tsleep\n3\trun\n");
        const CommandResult run =
            run_braid({"run", "--db", fixture.database, "--queries", queries, "--quiet"});
        CHECK(run.code == 0);
        CHECK_THAT(run.out, Contains("1 Q0 a 1 ") && Contains("2 Q0 b 1 ") && !Contains("3 Q0"));
    }
}

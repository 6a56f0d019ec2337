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

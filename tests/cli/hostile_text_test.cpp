// SPDX-License-Identifier: GPL-2.0-or-later
// What comes from a database, a file, a server or the command line reaches a terminal or a page
// only as visible text; data for programs stays exact, or is refused.
#include <nlohmann/json.hpp>
#include <xapian.h>

#include "braid/core/base/text.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

namespace {

// An escape, raw and encoded C1, bidirectional and zero-width characters, DEL, a broken sequence.
const std::string kHostile =
    "x\x1b[31m\x9b"
    "1m\xc2\x9b"
    "2m\xc2\x9d"
    "0;\x07\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\x7f\xe2\x80y";
// The same without what a word or a name of a run can't have.
const std::string kOdd = "x\x9b\xe2\x80\xae\xe2\x80\x8b\xe2\x80y";

void check_visible(const std::string& text, const std::string& what) {
    INFO(what << ": " << visible(text));
    CHECK(visible(text, "\n") == text);
}

void check_visible(const CommandResult& result, const std::string& what) {
    check_visible(result.out, what + ", standard output");
    check_visible(result.err, what + ", standard error");
}

// Every name, text, term and metadata value that a foreign program could choose.
class HostileDatabase {
  public:
    explicit HostileDatabase(const std::string& name) {
        Xapian::WritableDatabase database(path(), Xapian::DB_CREATE);
        for (int i = 0; i < 40; ++i) {
            Xapian::Document document;
            const std::string number = std::to_string(i % 7);
            document.add_term("word", 2);
            document.add_term("w" + number, 1 + i % 3);
            document.add_term("hostile" + kHostile, 1 + i % 2);
            document.add_term("other" + number + kHostile, 2);
            document.add_boolean_term("Q" + name + std::to_string(i));
            document.set_data("title " + kHostile + "\n 2.   9.0000  forged\nword " + kHostile);
            database.add_document(document);
        }
        database.commit();
    }

    std::string path() const { return (folder_ / "db").string(); }
    std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("Hostile text: searches show visible text") {
    const HostileDatabase database("name\n 1. " + kHostile);
    const std::vector<std::vector<std::string>> ways = {
        {"word"},
        {"--explain", "word"},
        {"--explain", "word", kHostile},
        {"--compare", "lm-dirichlet", "word", kOdd},
        {"--explain", "--model", "xapian", "word"},
        {"--explain", "word", "OR", "hostile" + kOdd},
        {"--filter", kHostile + ":" + kHostile, "word"},
        {"--sort", kHostile, "word"},
        {"--model", kHostile, "word"},
        {"--config", kHostile, "word"},
        {"--limit", kHostile, "word"},
        {"--" + kHostile, "word"},
        {"word AND (", kHostile},
        {"--query-vector", kHostile + "=" + kHostile, "word"}};
    for (const auto& way : ways) {
        std::vector<std::string> words = {"search", "--db", database.path()};
        words.insert(words.end(), way.begin(), way.end());
        check_visible(run_braid(words), "search " + way.front());
    }
    const auto found = run_braid({"search", "--db", database.path(), "word"});
    CHECK(found.code == 0);
    // A name is one line: it can't pose as another result.
    CHECK_THAT(found.out, Contains("name\\n 1. x\\x1B[31m\\x9B1m\\u009B2m\\u009D0;\\x07\\u202E"));
    CHECK_THAT(found.out, !Contains("\n 2.   9.0000  forged"));
}

TEST_CASE("Hostile text: JSON is exact and visible, and says what it can't hold") {
    const std::string name = "n\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\x7f\x1b\t";
    const HostileDatabase database(name);
    const auto found = run_braid({"search", "--db", database.path(), "--json", "-n", "1", "word"});
    CHECK(found.code == 0);
    check_visible(found, "search --json");
    CHECK(Json::parse(found.out)["hits"][0]["name"] == name + "0");
    CHECK_THAT(found.out, Contains("n\\u009b\\u202e\\u200b\\u007f\\u001b\\t0"));
    CHECK_THAT(found.err, Contains("warning: JSON can't hold bytes that are not UTF-8"));
}

TEST_CASE("Hostile text: topics and their words are visible") {
    const HostileDatabase database("d");
    const std::vector<std::vector<std::string>> commands = {
        {"adopt", "--db", database.path(), "--topics", "lsa:3"},
        {"topics", "--db", database.path()},
        {"topics", "--db", database.path(), "--json"},
        {"topics", "--db", database.path(), "--model", kHostile},
        {"search", "--db", database.path(), "--explain", "word", "w1"},
        {"adopt", "--db", database.path(), "--topics", kHostile},
        {"adopt", "--db", database.path(), "--vectors", kHostile}};
    for (const auto& command : commands) check_visible(run_braid(command), command.front());
    CHECK_THAT(run_braid({"topics", "--db", database.path()}).out,
               Contains("x\\x1B[31m\\x9B1m\\u009B2m"));
}

TEST_CASE("Hostile text: a run and features hold odd names as they are, and refuse controls") {
    {
        const HostileDatabase database(kOdd);
        write_file(database / "queries", "word\n");
        const std::string queries = database / "queries";
        const auto run = run_braid(
            {"run", "--db", database.path(), "--queries", queries, "--queries-format", "lines"});
        CHECK(run.code == 0);
        CHECK_THAT(run.out, Contains("1 Q0 " + kOdd));
        check_visible(run.err, "run");
        const auto features = run_braid({"features", "--db", database.path(), "--queries", queries,
                                         "--queries-format", "lines", "--model", "bm25"});
        CHECK(features.code == 0);
        CHECK_THAT(features.out, Contains("# docid = " + kOdd));
    }
    for (const std::string& name : {std::string("a\x1b"), std::string("a\0b", 3),
                                    std::string("a\xc2\x9b"), std::string("a\nb")}) {
        const HostileDatabase database(name);
        write_file(database / "queries", "word\n");
        const std::string queries = database / "queries";
        for (const char* command : {"run", "features"}) {
            const auto refused = run_braid({command, "--db", database.path(), "--queries", queries,
                                            "--queries-format", "lines", "--model", "bm25"});
            CHECK(refused.code == 1);
            CHECK(visible(refused.out, "\n") == refused.out);
            CHECK_THAT(refused.err, Contains("has a control character"));
            check_visible(refused.err, command);
        }
    }
}

TEST_CASE("Hostile text: names in files reach tables, pages and messages as visible text") {
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return (folder / name).string(); };
    const std::string qrels = path("qrels" + kOdd);
    const std::string run = path("a" + kHostile + ".run");
    write_file(qrels, kOdd + " 0 d1 1\n" + kHostile + " 0 d2 1\nq3 0 d3 0\n");
    write_file(run, kOdd + " Q0 d1 1 3 " + kHostile + "\n" + kHostile + " Q0 d3 1 2 r\n");
    write_file(path("b.run"), kOdd + " Q0 d2 1 3 r\nq3 Q0 " + kHostile + " 1 2 r\n");
    check_visible(run_braid({"eval", "--qrels", qrels, run, path("b.run"), "--per-query", "--html",
                             path("page.html")}),
                  "eval");
    check_visible(read_file(folder / "page.html"), "eval --html");
    CHECK_THAT(read_file(folder / "page.html"), Contains("x\\x9B\\u202E\\u200B"));
    check_visible(run_braid({"eval", "--json", "--per-query", "--qrels", qrels, run}),
                  "eval --json");
    check_visible(run_braid({"eval", "--qrels", qrels, path("absent" + kHostile)}), "eval absent");
    check_visible(run_braid({"fuse", path("b.run"), run}).err, "fuse");

    // A model is YAML, which holds nothing but UTF-8.
    std::string letor = "# 1:one\xe2\x80\xae 2:two\n";
    for (int q = 0; q < 6; ++q) {
        for (int d = 0; d < 4; ++d) {
            letor += std::to_string(d % 2) + " qid:" + kOdd + std::to_string(q) +
                     " 1:" + std::to_string(d * q + 1) + " 2:" + std::to_string(d + 0.5) +
                     " # docid = " + kOdd + "\n";
        }
    }
    const std::string features = path("letor" + kOdd);
    write_file(features, letor);
    check_visible(
        run_braid({"train", "--letor", features, "-l", "uniform", "--model", path("model.yaml"),
                   "--report", path("page.html"), "--report", path("page.txt"), "--report",
                   path("page.json"), "--report", "-", "--figures", folder.path().string()}),
        "train");
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
        const std::string kind = file.path().extension().string();
        if (kind != ".html" && kind != ".svg" && kind != ".txt" && kind != ".json") continue;
        check_visible(read_file(file.path()), kind);
    }
    CHECK_THAT(read_file(folder / "page.txt"), Contains("one\\u202E"));
    check_visible(run_braid({"train", "--letor", features, "-l", kHostile}), "train -l");
    check_visible(run_braid({"score", "--letor", features, "--model", path("b.run")}), "score");

    write_file(path("config.yaml"), "search: {" + kOdd + ": 1}\n");
    check_visible(run_braid({"search", "--db", path("none"), "--config", path("config.yaml"), "x"}),
                  "config");
}

TEST_CASE("Hostile text: errors of Xapian and of servers are one visible line") {
    const TemporaryFolder folder;
    write_file(folder / "stub", "auto " + kHostile + "\nremote localhost:1\n");
    for (const std::string& database : {(folder / "stub").string(), "absent" + kHostile,
                                        kHostile + ":1", std::string("localhost:1")}) {
        const auto failed = run_braid({"search", "--db", database, "word"});
        CHECK(failed.code == 1);
        check_visible(failed, "search --db");
        CHECK(std::count(failed.err.begin(), failed.err.end(), '\n') == 1);
    }
}

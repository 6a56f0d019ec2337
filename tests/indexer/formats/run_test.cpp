// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/indexer/formats/runs.h"
#include "braid/tests/indexer/formats/joined_warnings.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

Run read_run_text(const std::string& text, RunOptions options = {},
                  std::string* warnings = nullptr) {
    const TemporaryFolder folder;
    options.warn = joined_into(warnings);
    return read_run(folder.file("run", text), options);
}

std::string shown(const Run& run) {
    std::string text;
    for (const QueryRun& query : run.queries()) {
        text += query.query + ":";
        for (const auto& [document, score] : query.documents) {
            text += " " + std::string(document) + "=" + std::to_string(score);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("Run: six columns between any blanks; the rank is not looked at") {
    const Run run =
        read_run_text("1 Q0 a 1 2.5 bm25\n1\tQ0\tb\t1\t-1e-5\tbm25\r\n\n  2 0  c x +3 bm25");
    CHECK(shown(run) == "1: a=2.500000 b=-0.000010\n2: c=3.000000\n");
    CHECK(run.name() == "bm25");
    CHECK(run.find("1")->documents[1].score == -1e-5);
    CHECK(shown(read_run_text("\xEF\xBB\xBF"
                              "1 Q0 a 1 2.5 x")) == "1: a=2.500000\n");
}

TEST_CASE("Run: lines of a query need not be together, and keep their order") {
    const Run run = read_run_text("2 Q0 a 1 1 x\n1 Q0 a 1 2 x\n2 Q0 b 2 3 x\n1 Q0 c 3 1 x\n");
    CHECK(shown(run) == "2: a=1.000000 b=3.000000\n1: a=2.000000 c=1.000000\n");
    CHECK(run.find("02")->query == "2");
}

TEST_CASE("Run: of a document that a query has twice the better score stays") {
    std::string warnings;
    const std::string text =
        "1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n1 Q0 b 2 3 x\n1 Q0 a 3 2 x\n1 Q0 a 4 0 x\n";
    CHECK(shown(read_run_text(text, {}, &warnings)) == "1: a=2.000000 b=3.000000\n2: a=1.000000\n");
    CHECK_THAT(warnings,
               Contains("run:4: a document twice in a query; the higher score stays (query "
                        "'1', document 'a')\n"));
    CHECK_THAT(warnings, Contains("run:5: a document twice"));
    RunOptions options;
    options.duplicates = RunOptions::Duplicates::kRefuse;
    CHECK_THROWS_WITH(read_run_text(text, options),
                      Contains("run:4: query '1', document 'a' is there twice, expected it once"));
}

TEST_CASE("Run: wrong lines are refused with file, line and the right form") {
    CHECK_THROWS_WITH(read_run_text("1 Q0 a 1 2.5 x\n\n1 Q0 a 1 2.5\n"),
                      Contains("run:3: found 5 columns in '1 Q0 a 1 2.5', expected query, Q0"));
    CHECK_THROWS_WITH(read_run_text("1 Q0 a 1 2.5 x y"), Contains("run:1: found 7 columns"));
    CHECK_THROWS_WITH(read_run_text("hello"), Contains("run:1: found 1 column in 'hello'"));
    for (const char* score : {"inf", "-inf", "nan", "NAN", "1e999", "-1e999"}) {
        CHECK_THROWS_WITH(read_run_text(std::string("1 Q0 a 1 ") + score + " x"),
                          Contains("run:1: found '" + std::string(score) +
                                   "' as the score, "
                                   "expected a finite"));
    }
    for (const char* score : {"x", "1,5", "1.5x", "0x1p3", "+-1", "++1", "--1", ".", "1e"}) {
        CHECK_THROWS_WITH(read_run_text(std::string("1 Q0 a 1 ") + score + " x"),
                          Contains("run:1: found '" + std::string(score) + "' as the score"));
    }
    CHECK(read_run_text("1 Q0 a 1 1e-999 x").find("1")->documents[0].score == 0);
    CHECK_THROWS_WITH(read_run("/nonexistent/run"), Contains("can't open"));
}

TEST_CASE("Run: an empty file is an empty run and a warning") {
    std::string warnings;
    CHECK(read_run_text("\n \r\n", {}, &warnings).queries().empty());
    CHECK_THAT(warnings, Contains("the run is empty"));
}

TEST_CASE("Run: names outlive moves of the run") {
    Run first = read_run_text("1 Q0 a 1 1 x\n");
    Run second = std::move(first);
    const Run third = std::move(second);
    CHECK(shown(third) == "1: a=1.000000\n");
    CHECK(third.find("1") != nullptr);
}

TEST_CASE("RunWriter: best first, ties as readers order them, ranks from 1") {
    Run run("fused");
    QueryRun& query = run.query("7");
    run.add(query, "a", 0.1);
    run.add(query, "c", 1);
    run.add(query, "b", 0.1);
    CHECK(braid::run_text(run) == "7 Q0 c 1 1 fused\n7 Q0 b 2 0.1 fused\n7 Q0 a 3 0.1 fused\n");
    run.rename("");
    CHECK_THAT(braid::run_text(run), Contains("7 Q0 c 1 1 braid\n"));
}

TEST_CASE("RunWriter: names with blanks are set between tabs") {
    Run run("my run");
    QueryRun& query = run.query("first query");
    run.add(query, "a file.txt", 1);
    run.add(query, "b", 2);
    const std::string text = braid::run_text(run);
    CHECK(text == "first query\tQ0\tb\t1\t2\tmy run\nfirst query\tQ0\ta file.txt\t2\t1\tmy run\n");
    const Run again = read_run_text(text);
    CHECK(shown(again) == "first query: b=2.000000 a file.txt=1.000000\n");
    CHECK(again.name() == "my run");
    Run other("x");
    other.add(other.query("1"), "a file.txt", 1);
    CHECK(braid::run_text(other) == "1\tQ0\ta file.txt\t1\t1\tx\n");
}

TEST_CASE("RunWriter: what a run can't hold is refused and nothing is written") {
    for (const char* name : {"", " a", "a ", "a\tb", "a\nb", "a\r"}) {
        Run run("x");
        run.add(run.query("1"), "good", 1);
        run.add(run.query("1"), name, 1);
        std::string out = "before";
        CHECK_THROWS_AS(braid::append_run(out, run.query("1"), "x"), braid::InvalidArgument);
        CHECK(out == "before");
    }
    Run run("x");
    run.add(run.query("1"), "a", std::numeric_limits<double>::quiet_NaN());
    CHECK_THROWS_WITH(braid::run_text(run), Contains("document 'a' of query '1' has score nan"));
}

TEST_CASE("RunWriter: reading gives the same doubles in the same order", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 30; ++round) {
        Run run("random");
        for (std::size_t q = 0; q < 5; ++q) {
            QueryRun& query = run.query("q" + std::to_string(q));
            const std::size_t size = random.below(100);
            for (std::size_t i = 0; i < size; ++i) {
                const double scale = std::pow(10.0, static_cast<double>(random.below(600)) - 300);
                const double score = random.below(4) == 0 ? 0.5 : random.normal() * scale;
                run.add(query, "d" + std::to_string(i * 7919 % 1000), score);
            }
            if (size == 0) run.add(query, "d", -0.0);
        }
        const Run again = read_run_text(braid::run_text(run));
        for (QueryRun& query : run.queries()) {
            braid::rank_documents(query.documents);
            const auto& documents = again.find(query.query)->documents;
            REQUIRE(documents.size() == query.documents.size());
            for (std::size_t i = 0; i < documents.size(); ++i) {
                CHECK(documents[i].document == query.documents[i].document);
                CHECK(documents[i].score == query.documents[i].score);
            }
        }
    }
}

TEST_CASE("Run: no truncation of a file does more than throw a format error", "[property]") {
    const std::string whole =
        "\xEF\xBB\xBF"
        "1 Q0 a 1 2.5 x\r\n\n1\tQ0\tb c\t2\t1e-5\tx y\n1 Q0 a 3 -1.5E+3 x\n2 Q0 d 1 +7 x";
    check_truncations(whole, "run:", [](const std::string& text) {
        std::string warnings;
        read_run_text(text, {}, &warnings);
    });
}

TEST_CASE("Run: trec_eval's golden runs are read whole") {
    struct Golden {
        const char* path;
        std::size_t queries;
        std::size_t lines;
    };
    for (const Golden& golden : {Golden{"golden/trec_eval/med.run", 30, 5387},
                                 Golden{"golden/trec_eval/cran.run.gz", 225, 44883},
                                 Golden{"golden/trec_eval/mq2008-fold1-test-f40.run", 156, 2874}}) {
        const auto path = shared_file(golden.path);
        BRAID_SKIP_WITHOUT(path);
        const Run run = read_run(path->string());
        std::size_t lines = 0;
        for (const QueryRun& query : run.queries()) lines += query.documents.size();
        CHECK(run.queries().size() == golden.queries);
        CHECK(lines == golden.lines);
    }
}

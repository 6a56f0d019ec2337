// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/click_reader.h"

#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::ClickOptions;
using braid::Input;
using braid::Judgements;
using braid::read_clicks;
using namespace braid::test;

namespace {

Judgements read_click_text(const std::string& text, const ClickOptions& options = {}) {
    return read_clicks(Input::from_memory(text, "clicks"), options);
}

std::string click_error(const std::string& text) {
    return error_of<braid::FormatError>([&] { read_click_text(text); });
}

const std::string kHeader = "query\tdocument\tposition\tshown\tclicks\n";

}  // namespace

TEST_CASE("Clicks: a document is relevant or not by clicks, looks at its position counted") {
    // Documents change places, so half as many clicks at the second mean fewer looks.
    std::string text = kHeader;
    for (const char* query : {"p", "q", "r", "s", "t", "u"}) {
        for (const char* line : {"\ta\t1\t50\t40\n", "\ta\t2\t50\t20\n", "\tb\t1\t50\t5\n",
                                 "\tb\t2\t50\t3\n", "\tc\t2\t10\t4\n", "\td\t1\t10\t1\n"}) {
            text += query + std::string(line);
        }
    }
    std::string note;
    const Judgements judgements =
        read_click_text(text, {.note = [&](const std::string& said) { note = said; }});
    const auto& query = *judgements.find("q");
    CHECK(query.grade("a") == 1);
    CHECK(query.grade("b") == 0);
    CHECK(query.grade("c") == 1);
    CHECK(query.grade("d") == 0);
    CHECK_THAT(note, Contains("12 of 24 shown documents") && Contains("1: 1.00, 2: 0.5"));
}

TEST_CASE("Clicks: columns in any order, without positions, and lines of a pair add up") {
    std::vector<std::string> warnings;
    const Judgements judgements = read_click_text(
        "who\tclicks\tshown\tdocument\tquery\r\nx\t1\t2\ta\tq\r\n\nx\t0\t4\tb\tq\n"
        "x\t2\t2\ta\tq\n",
        {.warn = [&](const std::string& text) { warnings.push_back(text); }});
    CHECK(judgements.find("q")->grade("a") == 1);
    CHECK(judgements.find("q")->grade("b") == 0);
    CHECK(judgements.size() == 2);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Contains("has no column position"));
}

TEST_CASE("Clicks: clicks are events, which may come after their showings") {
    const Judgements judgements = read_click_text(kHeader +
                                                  "q\ta\t1\t1\t0\nq\tb\t2\t1\t0\n"
                                                  "q\ta\t1\t0\t1\n");
    CHECK(judgements.find("q")->grade("a") == 1);
    CHECK(judgements.find("q")->grade("b") == 0);
}

TEST_CASE("Clicks: what says little about others is said") {
    std::vector<std::string> warnings;
    const ClickOptions options{.warn = [&](const std::string& text) { warnings.push_back(text); }};
    const std::string header = "query\tdocument\tposition\tshown\tclicks\tuser\n";
    read_click_text(header + "q\ta\t1\t1\t1\tann\nq\tb\t2\t1\t1\tann\nq\tc\t3\t1\t0\tbob\n",
                    options);
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], Contains("at one position only"));
    CHECK_THAT(warnings[1], Contains("all clicks are those of one user, 'ann'"));
    warnings.clear();
    read_click_text(header + "q\ta\t1\t1\t1\tann\nq\ta\t2\t1\t1\tbob\n", options);
    CHECK(warnings.empty());
}

TEST_CASE("Clicks: a last line that is cut off is left out and said") {
    std::vector<std::string> warnings;
    const ClickOptions options{.warn = [&](const std::string& text) { warnings.push_back(text); }};
    const std::string whole = kHeader + "q\ta\t1\t3\t2\nq\ta\t2\t3\t1\n";
    const std::string last = "q\tb\t2\t3\t0";
    for (std::size_t size = 1; size < last.size(); ++size) {
        warnings.clear();
        CHECK(read_click_text(whole + last.substr(0, size), options).find("q")->grade("a") == 1);
        if (last.substr(0, size).find_first_not_of('\t') == std::string::npos) continue;
        REQUIRE(warnings.size() == 1);
        CHECK_THAT(warnings[0], Contains("clicks:4") && Contains("cut off"));
    }
    warnings.clear();
    CHECK(read_click_text(whole + last, options).find("q")->grade("b") == 0);  // It is whole.
    CHECK(warnings.empty());
    const std::string sessions = "QueryID,Query,Hits,Offset,Clicks\nq,x,\"1,2\",0,\"1:1,2:0\"\n";
    CHECK(read_click_text(sessions + "q,x,\"1,2\",0,\"1:1,3:", options).size() == 2);
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], Contains("clicks:3") && Contains("cut off"));
}

TEST_CASE("Clicks: a log that grows says the same as one read at once") {
    const std::vector<std::string> lines = {kHeader, "q\ta\t1\t3\t2\n", "r\ta\t2\t3\t1\n",
                                            "q\tb\t2\t3\t0\n"};
    braid::ClickLog log("clicks", {});
    log.add(lines[0]);
    CHECK(log.take_changed().empty());
    log.add(lines[1] + lines[2]);
    CHECK(log.take_changed() == std::vector<std::string>{"q", "r"});
    CHECK(log.judge().size() == 2);
    log.add(lines[3]);
    CHECK(log.take_changed() == std::vector<std::string>{"q"});
    CHECK(log.take_changed().empty());
    const Judgements grown = log.judge();
    const Judgements read = read_click_text(lines[0] + lines[1] + lines[2] + lines[3]);
    CHECK(grown.size() == read.size());
    CHECK(grown.find("q")->grade("b") == read.find("q")->grade("b"));
    CHECK_THROWS_AS(log.add("q\ta\n"), braid::FormatError);
    CHECK_THROWS_AS(braid::ClickLog("clicks", {}).judge(), braid::FormatError);
}

TEST_CASE("Clicks: what was hardly shown is not judged") {
    const std::string text = kHeader + "q\ta\t1\t3\t0\nq\tb\t2\t1\t1\nq\tc\t1\t9\t0\n";
    const Judgements judgements = read_click_text(text, {.least_shown = 5});
    CHECK(!judgements.find("q")->grade("a"));
    CHECK(judgements.find("q")->grade("b").has_value());
    CHECK(judgements.find("q")->grade("c") == 0);
}

TEST_CASE("Clicks: Omega's log has a session a line") {
    const Judgements judgements = read_click_text(
        "QueryID,Query,Hits,Offset,Clicks\n"
        "q1,book,\"45,54\",0,\"45:0,54:2\"\n"
        "q1,book,\"45,54\",0,\"45:0,54:1\"\n"
        "q2,\"a, b\",\"35,47\",10,\"35:1,47:0\"\n");
    CHECK(judgements.find("q1")->grade("45") == 0);
    CHECK(judgements.find("q1")->grade("54") == 1);
    CHECK(judgements.find("q2")->grade("35") == 1);
    CHECK(judgements.find("q2")->grade("47") == 0);
}

TEST_CASE("Clicks: relevances of Omega's click model become quarters") {
    const Judgements judgements = read_click_text(
        "q Q0 1 0\nq Q0 2 0.0001\nq Q0 3 0.25\nq Q0 4 0.333333\nq Q0 5 1\nq Q0 5 1\n");
    const auto& query = *judgements.find("q");
    CHECK(query.grade("1") == 0);
    CHECK(query.grade("2") == 1);
    CHECK(query.grade("3") == 1);
    CHECK(query.grade("4") == 2);
    CHECK(query.grade("5") == 4);
    std::string warning;
    read_click_text("q Q0 1 0\nq Q0 1 1\n",
                    {.warn = [&](const std::string& text) { warning = text; }});
    CHECK_THAT(warning, Contains("clicks:2") && Contains("the first stays"));
}

TEST_CASE("Clicks: what does not follow its form is refused, with the line") {
    CHECK_THAT(click_error(""), Contains("clicks: is empty"));
    CHECK_THAT(click_error("a b c\n"), Contains("clicks:1") && Contains("QueryID,Query,Hits"));
    CHECK_THAT(click_error("query\tdocument\tshown\n"), Contains("with the column clicks"));
    CHECK_THAT(click_error("query\tquery\tshown\n"), Contains("is there twice"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1\t3\n"),
               Contains("clicks:2") && Contains("4 columns"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1\t3\tx\n"), Contains("'x' as clicks"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1\t-3\t0\n"), Contains("as shown"));
    CHECK_THAT(click_error(kHeader + "q\ta\t0\t3\t0\n"), Contains("as position"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1.5\t3\t0\n"), Contains("as position"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1\tnan\t0\n"), Contains("as shown"));
    CHECK_THAT(click_error(kHeader + "\ta\t1\t3\t0\n"), Contains("the query has no name"));
    CHECK_THAT(click_error(kHeader + "q\ta\t1\t0\t0\n"), Contains("no document was clicked"));
    CHECK_THAT(click_error("QueryID,Query,Hits,Offset,Clicks\nq,x,\"1\",0,\"1\"\n"),
               Contains("clicks:2") && Contains("'document:clicks'"));
    CHECK_THAT(click_error("QueryID,Query,Hits\n"), Contains("expected 'QueryID,Query"));
    CHECK_THAT(click_error("q Q0 1 1.5\n"), Contains("expected 0 to 1"));
    CHECK_THAT(click_error("q Q0 1 1\nq Q0 1\n"), Contains("clicks:2"));
    CHECK_THROWS_AS(read_click_text(kHeader, {.format = "csv"}), braid::UnknownComponent);
}

TEST_CASE("Clicks: clicks on what was never shown are counted and said") {
    std::vector<std::string> warnings;
    read_click_text(kHeader + "q\ta\t1\t1\t2\nq\ta\t2\t9\t2\nq\tb\t2\t0\t1\nq\tb\t1\t9\t1\n",
                    {.warn = [&](const std::string& text) { warnings.push_back(text); }});
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Contains("2 documents of a query clicked more often than shown"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/click_reader.h"

#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::ClickOptions;
using braid::Input;
using braid::Judgements;
using braid::read_clicks;
using namespace braid::test;

namespace {

Judgements read_text(const std::string& text, const ClickOptions& options = {}) {
    return read_clicks(Input::from_memory(text, "clicks"), options);
}

std::string error_of(const std::string& text) {
    try {
        read_text(text);
    } catch (const braid::FormatError& error) {
        return error.what();
    }
    return "";
}

const std::string kHeader = "query\tdocument\tposition\tshown\tclicks\n";

}  // namespace

TEST_CASE("Clicks: grades compare clicks with what positions let one expect") {
    // Position 1: 90 clicks of 100; position 2: 10 of 100.
    const Judgements judgements = read_text(kHeader +
                                            "q\ta\t1\t50\t50\n"
                                            "q\tb\t1\t50\t40\n"
                                            "q\tc\t2\t50\t10\n"
                                            "q\td\t2\t50\t0\n");
    const auto& query = *judgements.find("q");
    CHECK(query.grade("a") == 2);  // 51 / 46
    CHECK(query.grade("b") == 1);  // 41 / 46
    CHECK(query.grade("c") == 1 + (11.0 / 6 >= 1) + (11.0 / 6 >= 2));
    CHECK(query.grade("d") == 0);
    const Judgements rare = read_text(kHeader + "q\ta\t1\t90\t0\nq\tb\t1\t10\t9\n");
    CHECK(rare.find("q")->grade("b") == 3);  // 10 / 1.9
}

TEST_CASE("Clicks: columns in any order, without positions, and lines of a pair add up") {
    const Judgements judgements = read_text(
        "who\tclicks\tshown\tdocument\tquery\r\nx\t1\t2\ta\tq\r\n\nx\t0\t2\tb\tq\n"
        "x\t2\t2\ta\tq\n");
    // 3 of 4 for a, of 3 of 6 in all: 4 / 3.
    CHECK(judgements.find("q")->grade("a") == 2);
    CHECK(judgements.find("q")->grade("b") == 0);
    CHECK(judgements.size() == 2);
}

TEST_CASE("Clicks: what was hardly shown is not judged") {
    const std::string text = kHeader + "q\ta\t1\t3\t0\nq\tb\t2\t1\t1\nq\tc\t1\t9\t0\n";
    const Judgements judgements = read_text(text, {.least_shown = 5});
    CHECK(!judgements.find("q")->grade("a"));
    CHECK(judgements.find("q")->grade("b").has_value());
    CHECK(judgements.find("q")->grade("c") == 0);
}

TEST_CASE("Clicks: Omega's log has a session a line") {
    const Judgements judgements = read_text(
        "QueryID,Query,Hits,Offset,Clicks\n"
        "q1,book,\"45,54\",0,\"45:0,54:2\"\n"
        "q1,book,\"45,54\",0,\"45:0,54:1\"\n"
        "q2,\"a, b\",\"35,47\",10,\"35:1,47:0\"\n");
    CHECK(judgements.find("q1")->grade("45") == 0);
    CHECK(judgements.find("q1")->grade("54") == 2);  // 2 of 2, as expected: 3 / 3
    CHECK(judgements.find("q2")->grade("35") == 2);
    CHECK(judgements.find("q2")->grade("47") == 0);
}

TEST_CASE("Clicks: relevances of Omega's click model become quarters") {
    const Judgements judgements =
        read_text("q Q0 1 0\nq Q0 2 0.0001\nq Q0 3 0.25\nq Q0 4 0.333333\nq Q0 5 1\nq Q0 5 1\n");
    const auto& query = *judgements.find("q");
    CHECK(query.grade("1") == 0);
    CHECK(query.grade("2") == 1);
    CHECK(query.grade("3") == 1);
    CHECK(query.grade("4") == 2);
    CHECK(query.grade("5") == 4);
    std::string warning;
    read_text("q Q0 1 0\nq Q0 1 1\n", {.warn = [&](const std::string& text) { warning = text; }});
    CHECK_THAT(warning, Contains("clicks:2") && Contains("the first stays"));
}

TEST_CASE("Clicks: what does not follow its form is refused, with the line") {
    CHECK_THAT(error_of(""), Contains("clicks: is empty"));
    CHECK_THAT(error_of("a b c\n"), Contains("clicks:1") && Contains("QueryID,Query,Hits"));
    CHECK_THAT(error_of("query\tdocument\tshown\n"), Contains("with the column clicks"));
    CHECK_THAT(error_of("query\tquery\tshown\n"), Contains("is there twice"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1\t3\n"), Contains("clicks:2") && Contains("4 columns"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1\t3\tx\n"), Contains("'x' as clicks"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1\t-3\t0\n"), Contains("as shown"));
    CHECK_THAT(error_of(kHeader + "q\ta\t0\t3\t0\n"), Contains("as position"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1.5\t3\t0\n"), Contains("as position"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1\tnan\t0\n"), Contains("as shown"));
    CHECK_THAT(error_of(kHeader + "\ta\t1\t3\t0\n"), Contains("the query has no name"));
    CHECK_THAT(error_of(kHeader + "q\ta\t1\t0\t0\n"), Contains("no document was clicked"));
    CHECK_THAT(error_of("QueryID,Query,Hits,Offset,Clicks\nq,x,\"1\",0,\"1\"\n"),
               Contains("clicks:2") && Contains("'document:clicks'"));
    CHECK_THAT(error_of("QueryID,Query,Hits\n"), Contains("expected 'QueryID,Query"));
    CHECK_THAT(error_of("q Q0 1 1.5\n"), Contains("expected 0 to 1"));
    CHECK_THAT(error_of("q Q0 1 1\nq Q0 1\n"), Contains("clicks:2"));
    CHECK_THROWS_AS(read_text(kHeader, {.format = "csv"}), braid::UnknownComponent);
}

TEST_CASE("Clicks: more clicks than showings are said") {
    std::string warning;
    read_text(kHeader + "q\ta\t1\t1\t2\n",
              {.warn = [&](const std::string& text) { warning = text; }});
    CHECK_THAT(warning, Contains("clicked more often than shown"));
}

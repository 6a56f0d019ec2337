// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/draft_log.h"

#include <array>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

using Clicked = std::vector<std::array<std::size_t, 2>>;

std::vector<std::string> draft_warnings;

std::vector<DraftComparison> read_draft_text(const std::string& text) {
    draft_warnings.clear();
    return read_draft_log(Input::from_memory(text, "log"), {.warn = [](const std::string& said) {
                              draft_warnings.push_back(said);
                          }});
}

std::string draft_error(const std::string& text) {
    return error_of<FormatError>([&] { read_draft_text(text); });
}

std::string search(const std::string& session) {
    return draft_log_lines(session, "red\tshoes",
                           {{"d1", "new", "old"}, {"d2", "old", "new"}, {"d3", "new", "old"}});
}

std::string click(const std::string& session, const std::string& document, const std::string& team,
                  const std::string& other) {
    return session + "\tq\t" + document + "\t1\t" + team + "\t" + other + "\t0\t1\n";
}

}  // namespace

TEST_CASE("Draft log: what a search writes, and clicks beside it") {
    CHECK(draft_log_header() == "session\tquery\tdocument\tposition\tteam\tother\tshown\tclicks\n");
    CHECK(draft_log_lines("s", "a\nb", {{"d", "x", "y"}}, 10) == "s\ta b\td\t11\tx\ty\t1\t0\n");
    const auto found = read_draft_text(
        draft_log_header() + search("1") + search("2") + click("1", "d1", "new", "old") +
        click("1", "d1", "new", "old") + click("2", "d2", "old", "new") + search("3") +
        click("2", "d3", "new", "old") + click("2", "d1", "new", "old"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].rankings == std::array<std::string, 2>{"new", "old"});
    CHECK(found[0].clicked == Clicked{{1, 0}, {2, 1}, {0, 0}});
    CHECK(draft_warnings.empty());
}

TEST_CASE("Draft log: each pair of rankings by itself") {
    const auto found = read_draft_text(draft_log_header() + search("1") +
                                       draft_log_lines("2", "q", {{"d", "old", "other"}}));
    REQUIRE(found.size() == 2);
    CHECK(found[1].rankings == std::array<std::string, 2>{"old", "other"});
}

TEST_CASE("Draft log: clicks on what was not shown are counted and left out") {
    const auto found =
        read_draft_text(draft_log_header() + search("1") + click("1", "d9", "old", "new"));
    CHECK(found.at(0).clicked == Clicked{{0, 0}});
    REQUIRE(draft_warnings.size() == 1);
    CHECK_THAT(draft_warnings[0], Contains("clicked, but not shown") && Contains("'d9'"));
}

TEST_CASE("Draft log: a last line that is cut off is left out and said") {
    const std::string last = click("1", "d1", "new", "old");
    for (std::size_t size = 1; size + 3 < last.size(); ++size) {
        const auto found = read_draft_text(draft_log_header() + search("1") + last.substr(0, size));
        CHECK(found.at(0).clicked == Clicked{{0, 0}});
        REQUIRE(draft_warnings.size() == 1);
        CHECK_THAT(draft_warnings[0], Contains("log:5") && Contains("cut off"));
    }
}

TEST_CASE("Draft log: what does not follow its form is refused, with the line") {
    const std::string header = draft_log_header();
    CHECK_THAT(draft_error(""), Contains("is empty"));
    CHECK_THAT(draft_error("session\tquery\n"), Contains("log:1") && Contains("column document"));
    CHECK_THAT(draft_error(header + "1\tq\td\n"), Contains("log:2") && Contains("3 columns"));
    CHECK_THAT(draft_error(header + "\tq\td\t1\tx\ty\t1\t0\n"),
               Contains("column session is empty"));
    CHECK_THAT(draft_error(header + "1\tq\td\t1\tx\tx\t1\t0\n"), Contains("as both rankings"));
    CHECK_THAT(draft_error(header + "1\tq\td\t1\tx\ty\t1\t-1\n"), Contains("'-1' as clicks"));
    CHECK_THAT(draft_error(header + "1\tq\td\t1\tx\ty\tnan\t0\n"), Contains("as shown"));
    CHECK_THAT(draft_error(header + search("1") + click("1", "d1", "new", "third")),
               Contains("log:5") && Contains("on line 2"));
    CHECK_THAT(draft_error(header + search("1") + click("1", "d1", "old", "new")),
               Contains("is in both teams"));
}

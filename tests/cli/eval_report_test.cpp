// SPDX-License-Identifier: GPL-2.0-or-later
// The HTML report: that it is well formed, whole, safe and free of the network.
#include <set>

#include "braid/tests/cli/html_checks.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

struct Report {
    TemporaryFolder folder;
    std::string html;

    void make(const std::vector<std::pair<std::string, std::string>>& runs,
              const std::vector<std::string>& options = {}) {
        std::string qrels;
        for (int i = 1; i <= 12; ++i) qrels += std::to_string(i) + " 0 a 1\n";
        braid::test::write_file(folder / "qrels", qrels + "<q&> 0 a 1\n");
        std::vector<std::string> arguments = {"eval",
                                              "--qrels",
                                              (folder / "qrels").string(),
                                              "--html",
                                              (folder / "report.html").string(),
                                              "--measures",
                                              "mrr,p@2"};
        for (const auto& [name, text] : runs) {
            braid::test::write_file(folder / name, text);
            arguments.push_back((folder / name).string());
        }
        arguments.insert(arguments.end(), options.begin(), options.end());
        const CommandResult result = run_braid(arguments);
        INFO(result.err);
        REQUIRE(result.code == 0);
        html = braid::test::read_file(folder / "report.html");
    }
};

// `a` at rank 1 or 2 of each query.
std::string run_text(int second_from, const std::string& tag) {
    std::string text;
    for (int i = 1; i <= 12; ++i) {
        const std::string query = std::to_string(i);
        text += query + " Q0 a 1 " + (i < second_from ? "3" : "1") + " " + tag + "\n" + query +
                " Q0 b 2 2 " + tag + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("Report: is one well-formed page that needs nothing from elsewhere") {
    Report report;
    report.make({{"one.run", run_text(6, "x")}, {"two.run", run_text(13, "y")}});
    const std::set<std::string> elements = check_elements(report.html);
    CHECK(elements.count("svg") == 1);
    CHECK(elements.count("style") == 1);
    for (const char* outside : {"script", "link", "img", "iframe", "object"}) {
        CHECK(elements.count(outside) == 0);
    }
    for (const char* outside : {"http:", "https:", "url(", "@import", "src=", "href="}) {
        INFO(outside);
        CHECK_FALSE(has(report.html, outside));
    }
    CHECK_FALSE(has(report.html, "nan"));
    CHECK(has(report.html, "prefers-color-scheme: dark"));
}

TEST_CASE("Report: shows summary, curves, differences by query and every value") {
    Report report;
    report.make({{"one.run", run_text(6, "x")}, {"two.run", run_text(13, "y")}});
    // mrr of one: (5 + 7/2) / 13, of two: 12/13; the thirteenth query is in neither.
    CHECK(has(report.html, ">0.6538<"));
    CHECK(has(report.html, "class=\"best\">0.9231<"));
    CHECK(has(report.html, "<small>+0.2692</small>"));
    CHECK(has(report.html, "<small>1 missing</small>"));
    CHECK(count_of(report.html, "class=\"curve c0\" points=") == 1);
    CHECK(count_of(report.html, "class=\"curve c1\" points=") == 1);
    // A bar for each of 13 queries, for the one measure in which they differ: p@2 is the same.
    CHECK(count_of(report.html, "<rect ") == 13);
    CHECK(count_of(report.html, "No query differs.") == 1);
    CHECK(has(report.html, "<title>query 6: +0.5000</title>"));
    CHECK(has(report.html, "<title>query 1: +0.0000</title>"));
    // Seven queries differ, and are listed as such, for one measure.
    CHECK(count_of(report.html, "<svg class=\"dots\"") == 7);
    CHECK(has(report.html, "All 13 queries"));
    CHECK(count_of(report.html, ">missing</td>") == 2 * 3);
}

TEST_CASE("Report: names from files are text, not markup") {
    Report report;
    report.make({{"<b>&\"bold\".run", run_text(6, "x")}, {"two.run", run_text(13, "y")}});
    check_elements(report.html);
    CHECK_FALSE(has(report.html, "<b>"));
    CHECK(has(report.html, "&lt;b&gt;&amp;&quot;bold&quot;"));
    CHECK(has(report.html, "&lt;q&amp;&gt;"));
}

TEST_CASE("Report: one run, many runs, and a run without any difference") {
    Report single;
    single.make({{"one.run", run_text(6, "x")}});
    check_elements(single.html);
    CHECK(has(single.html, "mrr by query"));
    CHECK(has(single.html, "<title>query 6: 0.5000</title>"));
    CHECK_FALSE(has(single.html, "Differences from"));

    std::vector<std::pair<std::string, std::string>> runs;
    for (int i = 0; i < 11; ++i) {
        runs.emplace_back("run" + std::to_string(i) + ".run", run_text(3 + i, "t"));
    }
    Report many;
    many.make(runs, {"--test", "wilcoxon"});
    check_elements(many.html);
    CHECK(has(many.html, "curve c2 dashed"));
    CHECK(has(many.html, "corrected by Holm"));
    CHECK(has(many.html, "over 10 runs"));
    CHECK(has(many.html, "Wilcoxon"));
}

TEST_CASE("Report: is the same for the same input") {
    Report first;
    first.make({{"one.run", run_text(6, "x")}, {"two.run", run_text(13, "y")}});
    Report second;
    second.make({{"one.run", run_text(6, "x")}, {"two.run", run_text(13, "y")}});
    CHECK((first.html == second.html));
}

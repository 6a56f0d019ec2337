// SPDX-License-Identifier: GPL-2.0-or-later
#include <regex>
#include <sstream>

#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

using namespace braid::test;

namespace {

// The first line on standard error.
std::string refusal(const std::vector<std::string>& arguments) {
    const CommandResult result = run_braid(arguments);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    return result.err.substr(0, result.err.find('\n'));
}

}  // namespace

TEST_CASE("Usage: an unknown word comes before what is missing, with what was likely meant") {
    CHECK(refusal({"serach", "x"}) == "braid: unknown command serach; did you mean search?");
    CHECK(refusal({"search", "-db", "x", "y"}) ==
          "braid search: unknown option -db; did you mean --db?");
    CHECK(refusal({"train", "--mesure=map"}) ==
          "braid train: unknown option --mesure; did you mean --measure?");
    CHECK(refusal({"features", "--model-rankers", "x"}) ==
          "braid features: unknown option --model-rankers; did you mean --model?");
    CHECK(refusal({"search", "--db", "x", "--folds", "2", "y"}) ==
          "braid search: unknown option --folds, which belongs to braid train");
    CHECK(refusal({"search", "--zzzzzz"}) == "braid search: unknown option --zzzzzz");
    CHECK(refusal({"topics", "more", "--db", "x"}) == "braid topics: unexpected argument more");
}

TEST_CASE("Usage: without a command it says which there are") {
    for (const std::string& text : {refusal({}), refusal({"%"})}) {
        for (const char* const name : {"index", "adopt", "search", "train", "eval", "fuse"}) {
            CHECK_THAT(text, Catch::Matchers::Contains(name));
        }
    }
}

TEST_CASE("Usage: what is missing is named, and where help is") {
    const CommandResult result = run_braid({"search", "x"});
    CHECK(result.code == 2);
    CHECK(result.err ==
          "braid search: --db is required\nRun braid search --help for more information.\n");
    CHECK_THAT(refusal({"fuse", "--count", "0", "--", "-a", "b"}),
               Catch::Matchers::Contains("--count"));
    CHECK(run_braid({"--version"}).code == 0);
    CHECK(run_braid({"search", "--help"}).out.find("--db") != std::string::npos);
}

TEST_CASE("Usage: help fits into 80 columns, save for commands to copy") {
    const std::string top = run_braid({"--help"}).out;
    const std::regex command("\n  ([a-z]+) ");
    std::size_t commands = 0;
    for (std::sregex_iterator at(top.begin(), top.end(), command), end; at != end; ++at) {
        const CommandResult help = run_braid({(*at)[1], "--help"});
        INFO((*at)[1].str());
        CHECK(help.code == 0);
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);) {
            INFO(line);
            CHECK((line.size() <= 80 || line.starts_with("  braid ")));
        }
        ++commands;
    }
    CHECK(commands >= 18);
}

TEST_CASE("Usage: help shows a value's name, range, choices, default and what it goes with") {
    const auto contains = [](const CommandResult& help, const std::string& text) {
        CHECK_THAT(help.out, Catch::Matchers::Contains(text));
    };
    const CommandResult search = run_braid({"search", "--help"});
    contains(search, "\n  -n, --count N           Number of results (1 to 1000000) [10]\n");
    contains(search, "\n  --candidates {words,all,hybrid}\n                          Candidates ");
    contains(search, "\n  --offset N              Number of results to skip (0 or more)\n");
    contains(search, "\n  -h, --help              Print this help message and exit\n");
    contains(search, "\n  --interleave A B ");
    contains(search, "; required\n");
    const CommandResult topics = run_braid({"topics", "--help"});
    contains(topics, "; needs --export");
    contains(topics, "; not with --export");
}

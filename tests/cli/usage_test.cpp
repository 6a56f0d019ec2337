// SPDX-License-Identifier: GPL-2.0-or-later
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

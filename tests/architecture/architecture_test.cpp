// SPDX-License-Identifier: GPL-2.0-or-later
// The rules, on the project as it is. planted_violations_test.cpp shows that each can fail.
#include <sstream>

#include "braid/tests/architecture/build_lists.h"
#include "braid/tests/architecture/rules.h"
#include "braid/tests/support/support.h"

using namespace braid::architecture;

namespace {

// Files that may be longer than the limits, each with the reason.
const std::map<std::string, std::string> kExcusedFromLimits = {
    {"core/measures/registry.cpp", "one row for each measure, and nothing else"},
};

const SourceTree& project() {
    static const SourceTree tree = read_source_tree(braid::test::source_dir());
    return tree;
}

void check_none(const Violations& violations) {
    for (const Violation& violation : violations) {
        UNSCOPED_INFO(violation.to_string());
    }
    CHECK(violations.empty());
}

}  // namespace

TEST_CASE("Architecture: the project is read") {
    CHECK(project().files.size() > 100);
    CHECK(project().paths.count("core/error.h") == 1);
    CHECK(read_build_lists(project()).headers.count("core/error.h") == 1);
}

TEST_CASE("Architecture: includes follow the graph") { check_none(check_includes(project())); }

TEST_CASE("Architecture: a source file includes its own header first") {
    check_none(check_own_header_first(project()));
}

TEST_CASE("Architecture: the graph is the one in docs/architecture.md") {
    const std::string page =
        braid::test::read_file(braid::test::source_dir() / "docs/architecture.md");
    std::istringstream lines(page);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
        for (const auto& [folder, allowed] : allowed_includes()) {
            if (!line.starts_with("| `" + folder + "/` |")) continue;
            ++rows;
            const std::string last = line.substr(line.rfind('|', line.size() - 2));
            for (const auto& [other, unused] : allowed_includes()) {
                if (other == folder || folder == "cli") continue;
                INFO(folder << " includes " << other << ": " << last);
                CHECK((allowed.count(other) > 0) ==
                      (last.find("`" + other + "`") != std::string::npos));
            }
        }
    }
    CHECK(rows >= 7);
}

TEST_CASE("Architecture: libraries are used where they belong") {
    check_none(check_foreign_includes(project()));
}

TEST_CASE("Architecture: Catch2's headers come through their wrapper") {
    check_none(check_catch_includes(project()));
}

TEST_CASE("Architecture: what is installed needs only what is installed") {
    check_none(check_installed_headers(project()));
}

TEST_CASE("Architecture: only the command line prints, exits or reads the environment") {
    check_none(check_side_effects(project()));
}

TEST_CASE("Architecture: the command line prints by one file") {
    check_none(check_printing(project()));
}

TEST_CASE("Architecture: no variable outlives a call and can change") {
    check_none(check_globals(project()));
}

TEST_CASE("Architecture: files and functions keep their lengths") {
    check_none(check_lengths(project(), kExcusedFromLimits));
}

TEST_CASE("Architecture: every source begins with its licence and is built") {
    check_none(check_file_heads(project()));
    check_none(check_build_lists(project()));
}

TEST_CASE("Architecture: texts have the punctuation of keyboards") {
    check_none(check_punctuation(project()));
}

TEST_CASE("Architecture: links in the documentation lead somewhere") {
    check_none(check_links(project()));
}

TEST_CASE("Architecture: the program in README.md is the one that is compiled") {
    const auto folder = braid::test::source_dir();
    const std::string program = braid::test::read_file(folder / "examples/search.cpp");
    const std::string shown = program.substr(program.find("#include <iostream>"));
    CHECK(braid::test::read_file(folder / "README.md").find(shown) != std::string::npos);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The rules, on the project as it is. planted_violations_test.cpp shows that each can fail.
#include <algorithm>
#include <sstream>

#include "braid/tests/architecture/build_lists.h"
#include "braid/tests/architecture/rules.h"
#include "braid/tests/support/support.h"

using namespace braid::architecture;

namespace {

// Files that may be longer than the limits, each with the reason.
const std::map<std::string, std::string> kExcusedFromLimits = {
    {"core/eval/measure_registry.cpp", "one row for each measure, and nothing else"},
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

void holds(Violations (*rule)(const SourceTree&)) { check_none(rule(project())); }

}  // namespace

TEST_CASE("Architecture: the project is read") {
    CHECK(project().files.size() > 100);
    CHECK(project().paths.count("include/braid/error.h") == 1);
    CHECK(read_build_lists(project()).headers.count("include/braid/error.h") == 1);
}

TEST_CASE("Architecture: includes follow the graph") { holds(check_includes); }

TEST_CASE("Architecture: a source file includes its own header first") {
    holds(check_own_header_first);
}

TEST_CASE("Architecture: the libraries and layers are those in docs/architecture.md") {
    const std::string page =
        braid::test::read_file(braid::test::source_dir() / "docs/architecture.md");
    std::map<std::string, std::string> uses;                 // The last cell of a library's row.
    std::map<std::string, std::vector<std::string>> layers;  // In the order of the rows.
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `") || line.find("/` |") == std::string::npos) continue;
        const std::string folder = line.substr(3, line.find("/` |") - 3);
        if (std::count(line.begin(), line.end(), '|') == 4) {
            uses[folder] = line.substr(line.rfind('|', line.size() - 2));
        } else {
            for (const auto& [library, rules] : libraries()) {
                const auto& names = rules.layers;
                if (std::find(names.begin(), names.end(), folder) != names.end()) {
                    layers[library].push_back(folder);
                }
            }
        }
    }
    for (const auto& [library, rules] : libraries()) {
        INFO(library);
        REQUIRE(uses.count(library) == 1);
        if (rules.layers.size() > 1) CHECK(layers[library] == rules.layers);
        for (const auto& [other, unused] : libraries()) {
            if (other == library || library == "cli") continue;
            INFO("includes " << other << ": " << uses[library]);
            CHECK((rules.uses.count(other) > 0) ==
                  (uses[library].find("`" + other + "`") != std::string::npos));
        }
    }
}

TEST_CASE("Architecture: libraries are used where they belong") { holds(check_foreign_includes); }

TEST_CASE("Architecture: Catch2's headers come through their wrapper") {
    holds(check_catch_includes);
}

TEST_CASE("Architecture: the public headers are installed, and few") {
    holds(check_installed_headers);
}

TEST_CASE("Architecture: only the command line prints, exits or reads the environment") {
    holds(check_side_effects);
}

TEST_CASE("Architecture: the command line prints by one file") { holds(check_printing); }

TEST_CASE("Architecture: queries are walked by one file") { holds(check_query_walks); }

TEST_CASE("Architecture: no variable outlives a call and can change") { holds(check_globals); }

TEST_CASE("Architecture: files and functions keep their lengths") {
    check_none(check_lengths(project(), kExcusedFromLimits));
}

TEST_CASE("Architecture: every source begins with its licence and is built") {
    holds(check_file_heads);
    holds(check_build_lists);
}

TEST_CASE("Architecture: what is sent or stored has a fuzz target") { holds(check_fuzz_targets); }

TEST_CASE("Architecture: texts have the punctuation of keyboards") { holds(check_punctuation); }

TEST_CASE("Architecture: links in the documentation lead somewhere") { holds(check_links); }

TEST_CASE("Architecture: the program in README.md is the one that is compiled") {
    const auto folder = braid::test::source_dir();
    const std::string program = braid::test::read_file(folder / "examples/search.cpp");
    const std::string shown = program.substr(program.find("#include <iostream>"));
    CHECK(braid::test::read_file(folder / "README.md").find(shown) != std::string::npos);
}

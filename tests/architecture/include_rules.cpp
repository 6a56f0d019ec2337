// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "braid/tests/architecture/build_lists.h"
#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

struct Include {
    std::string target;
    bool quoted = false;
    std::size_t line = 0;
};

std::vector<Include> includes_of(const SourceFile& file) {
    static const std::regex pattern(
        R"re((^|\n)[ \t]*#[ \t]*include[ \t]*(<([^>\n]*)>|"([^"\n]*)"))re");
    std::vector<Include> result;
    const std::string code = without_comments(file.text, false);
    for (std::sregex_iterator at(code.begin(), code.end(), pattern), end; at != end; ++at) {
        const auto offset = static_cast<std::size_t>(at->position(2));
        result.push_back(
            {(*at)[3].str() + (*at)[4].str(), (*at)[4].matched, line_of(code, offset)});
    }
    return result;
}

// The longest of `folders` that has the path below it; "" for none.
template <typename Folders>
std::string longest_above(const std::string& path, const Folders& folders) {
    std::string best;
    for (const std::string& folder : folders) {
        if (path.starts_with(folder + "/") && folder.size() > best.size()) best = folder;
    }
    return best;
}

std::string library_of(const std::string& path) {
    std::vector<std::string> folders;
    for (const auto& [folder, library] : libraries()) folders.push_back(folder);
    return longest_above(path, folders);
}

// What is wrong with an include of `target` in `path`, a file of a library; "" if nothing.
std::string problem_of(const std::string& path, const std::string& target) {
    const std::string library = library_of(path);
    const Library& rules = libraries().at(library);
    const std::string layer = longest_above(path, rules.layers);
    if (layer.empty()) return "is in none of the folders of " + library;
    const std::string other = library_of(target);
    const std::string against = " includes braid/" + target + ", against docs/architecture.md";
    if (other != library) return rules.uses.count(other) > 0 ? "" : library + against;
    const auto place = [&](const std::string& folder) {
        return std::find(rules.layers.begin(), rules.layers.end(), folder);
    };
    const std::string below = longest_above(target, rules.layers);
    return place(below) <= place(layer) ? "" : layer + against;
}

struct ForeignRule {
    std::string name;
    std::vector<std::string> includes;  ///< Beginnings of what is between the brackets.
    std::set<std::string> libraries;    ///< Which may use it; those without rules may.
    std::set<std::string> headers;      ///< Which may use it in installed headers.
};

const std::vector<ForeignRule>& foreign_rules() {
    static const std::vector<ForeignRule> rules = {
        {"Eigen", {"Eigen/", "unsupported/Eigen/"}, {"core"}, {"core"}},
        {"Xapian",
         {"xapian.h", "xapian/"},
         {"plugin", "plugin/store", "plugin/training", "indexer", "cli"},
         {"plugin", "plugin/store", "plugin/training", "indexer"}},
        {"yaml-cpp", {"yaml-cpp/"}, {"config"}, {}},
        {"CLI11", {"CLI/"}, {"cli"}, {}},
        {"fmt",
         {"fmt/"},
         {"core", "config", "plugin", "plugin/store", "plugin/training", "indexer",
          "indexer/formats", "cli"},
         {}},
        {"nlohmann-json",
         {"nlohmann/"},
         {"plugin", "plugin/store", "plugin/training", "indexer", "indexer/formats", "cli"},
         {}},
        {"zlib", {"zlib.h"}, {"indexer/formats"}, {}},
        {"Catch", {"catch2/"}, {}, {}},
    };
    return rules;
}

// Folders of core whose headers applications read without wanting matrices.
bool is_plain_core_header(const SourceFile& file) {
    static const std::array<std::string, 4> folders = {"core/model", "core/settings",
                                                       "core/lexical", "core/eval"};
    return file.is_header() && std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
               return file.is_below(folder);
           });
}

// The one file that may name Catch2's headers, which differ between its versions 2 and 3.
constexpr std::string_view kCatchWrapper = "tests/support/catch.h";

bool matches(const ForeignRule& rule, const std::string& target) {
    return std::any_of(rule.includes.begin(), rule.includes.end(),
                       [&](const std::string& begin) { return target.starts_with(begin); });
}

}  // namespace

const std::map<std::string, Library>& libraries() {
    static const std::map<std::string, Library> all = {
        {"core",
         {{"core/base", "core/eval", "core/lexical", "core/vectors", "core/topics/linalg",
           "core/topics", "core/pool", "core/model", "core/settings", "core/learn",
           "core/learn/losses", "core/learn/solvers", "core/learn/methods", "core/learn/job"},
          {}}},
        {"config", {{"config"}, {"core"}}},
        {"indexer/formats", {{"indexer/formats"}, {"core"}}},
        {"plugin/store", {{"plugin/store"}, {"core"}}},
        {"plugin",
         {{"plugin/database", "plugin/tables", "plugin/query", "plugin/sources", "plugin/ranking",
           "plugin/search"},
          {"plugin/store", "core"}}},
        {"plugin/training", {{"plugin/training"}, {"plugin", "plugin/store", "core"}}},
        {"indexer",
         {{"indexer/topics", "indexer/documents", "indexer/check"},
          {"indexer/formats", "plugin/store", "core"}}},
        {"cli",
         {{"cli/output", "cli/options", "cli/report", "cli/commands", "cli"},
          {"config", "indexer", "indexer/formats", "plugin", "plugin/store", "plugin/training",
           "core"}}},
    };
    return all;
}

Violations check_includes(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        const bool has_rules = !library_of(file.path).empty();
        for (const Include& include : includes_of(file)) {
            if (!include.target.starts_with("braid/")) {
                if (!include.quoted) continue;
                violations.push_back({file.path, include.line,
                                      "includes \"" + include.target +
                                          "\", expected \"braid/...\", or <...> for another "
                                          "library's header"});
            } else if (has_rules) {
                const std::string problem = problem_of(file.path, include.target.substr(6));
                if (!problem.empty()) violations.push_back({file.path, include.line, problem});
            }
        }
    }
    return violations;
}

Violations check_own_header_first(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.path.ends_with(".cpp")) continue;
        const std::string own = file.path.substr(0, file.path.size() - 3) + "h";
        if (tree.paths.count(own) == 0) continue;
        const auto includes = includes_of(file);
        const std::string first = includes.empty() ? "nothing" : includes.front().target;
        if (first == "braid/" + own) continue;
        violations.push_back({file.path, includes.empty() ? 0 : includes.front().line,
                              "includes " + first + " first, expected its own header braid/" + own +
                                  ", which shows that it needs nothing before it"});
    }
    return violations;
}

Violations check_foreign_includes(const SourceTree& tree) {
    Violations violations;
    const BuildLists lists = read_build_lists(tree);
    for (const SourceFile& file : tree.files) {
        const std::string library = library_of(file.path);
        if (!file.is_code() || library.empty()) continue;
        const bool installed = lists.headers.count(file.path) > 0;
        for (const Include& include : includes_of(file)) {
            for (const ForeignRule& rule : foreign_rules()) {
                if (!matches(rule, include.target)) continue;
                if (rule.libraries.count(library) == 0) {
                    violations.push_back(
                        {file.path, include.line, library + " has no business with " + rule.name});
                } else if ((installed && rule.headers.count(library) == 0) ||
                           (rule.name == "Eigen" && is_plain_core_header(file))) {
                    violations.push_back({file.path, include.line,
                                          "a header for applications asks for " + rule.name});
                }
            }
        }
    }
    return violations;
}

Violations check_catch_includes(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code() || file.path == kCatchWrapper) continue;
        for (const Include& include : includes_of(file)) {
            if (!include.target.starts_with("catch2/")) continue;
            violations.push_back({file.path, include.line,
                                  "includes <" + include.target + ">, expected \"braid/" +
                                      std::string(kCatchWrapper) + "\""});
        }
    }
    return violations;
}

Violations check_installed_headers(const SourceTree& tree) {
    Violations violations;
    const BuildLists lists = read_build_lists(tree);
    for (const SourceFile& file : tree.files) {
        if (lists.headers.count(file.path) == 0) continue;
        for (const Include& include : includes_of(file)) {
            if (!include.target.starts_with("braid/")) continue;
            if (lists.headers.count(include.target.substr(6)) > 0) continue;
            violations.push_back(
                {file.path, include.line,
                 "is installed and includes " + include.target + ", which is in no HEADERS"});
        }
    }
    return violations;
}

}  // namespace braid::architecture

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

// The longest folder with rules that has the path below it; "" for none.
std::string library_of(const std::string& path) {
    std::string best;
    for (const auto& [folder, allowed] : allowed_includes()) {
        if (path.starts_with(folder + "/") && folder.size() > best.size()) best = folder;
    }
    return best;
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
    static const std::array<std::string, 4> folders = {"core/models", "core/settings",
                                                       "core/lexical", "core/measures"};
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

const std::map<std::string, std::set<std::string>>& allowed_includes() {
    static const std::map<std::string, std::set<std::string>> allowed = {
        {"core", {"core"}},
        {"config", {"config", "core"}},
        {"indexer/formats", {"indexer/formats", "core"}},
        {"plugin/store", {"plugin/store", "core"}},
        {"plugin", {"plugin", "plugin/store", "core"}},
        {"plugin/training", {"plugin/training", "plugin", "plugin/store", "core"}},
        {"indexer", {"indexer", "indexer/formats", "plugin/store", "core"}},
        {"cli",
         {"cli", "config", "indexer", "indexer/formats", "plugin", "plugin/store",
          "plugin/training", "core"}},
    };
    return allowed;
}

Violations check_includes(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        const std::string library = library_of(file.path);
        for (const Include& include : includes_of(file)) {
            if (include.quoted && !include.target.starts_with("braid/")) {
                violations.push_back({file.path, include.line,
                                      "includes \"" + include.target +
                                          "\", expected \"braid/...\", or <...> for another "
                                          "library's header"});
            }
            if (!include.target.starts_with("braid/") || library.empty()) continue;
            const std::string target = library_of(include.target.substr(6));
            if (allowed_includes().at(library).count(target) == 0) {
                violations.push_back({file.path, include.line,
                                      library + " includes " + include.target +
                                          ", against the graph in docs/architecture.md"});
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

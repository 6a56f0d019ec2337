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

constexpr std::string_view kPublicFolder = "include/braid";

bool is_public(const std::string& path) { return folder_of(path) == kPublicFolder; }

// What is included as "braid/..." as a path in the project.
std::string path_of(const std::string& target) {
    return target.find('/') == std::string::npos ? std::string(kPublicFolder) + "/" + target
                                                 : target;
}

// Where a file stands among the layers: a public header is in the folder that it belongs to.
std::string placed(const std::string& path) {
    if (!is_public(path)) return path;
    const std::string name = path.substr(kPublicFolder.size() + 1);
    const auto found = public_headers().find(name);
    return found == public_headers().end() ? path : found->second + "/" + name;
}

// What is wrong with an include of `target` in `path`, a file of a library; "" if nothing. Both
// are placed.
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
        {"Eigen", {"Eigen/", "unsupported/Eigen/"}, {"core"}, {}},
        {"Xapian",
         {"xapian.h", "xapian/"},
         {"plugin", "plugin/store", "plugin/training", "indexer", "cli", "python", "with"},
         {"plugin", "plugin/store", "plugin/training", "indexer"}},
        {"yaml-cpp", {"yaml-cpp/"}, {"config"}, {}},
        {"CLI11", {"CLI/"}, {"cli"}, {}},
        {"pybind11", {"pybind11/"}, {"python"}, {}},
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

const std::map<std::string, std::string>& public_headers() {
    static const std::map<std::string, std::string> all = {
        {"adopt.h", "indexer/topics"},
        {"config.h", "config"},
        {"database.h", "plugin/store"},
        {"error.h", "core/base"},
        {"evaluate.h", "core/eval"},
        {"features.h", "plugin/training"},
        {"fuse.h", "core/model"},
        {"index.h", "indexer/documents"},
        {"judgements.h", "core/eval"},
        // A plain value, whose normaliser core/pool applies.
        {"model.h", "core/pool"},
        {"parameters.h", "core/base"},
        {"progress.h", "core/base"},
        {"ranking.h", "plugin/search"},
        {"read.h", "indexer/formats"},
        {"registry.h", "core/learn/job"},
        {"run.h", "core/eval"},
        {"search_request.h", "plugin/query"},
        {"search_result.h", "plugin/sources"},
        {"searcher.h", "plugin/search"},
        {"settings.h", "core/settings"},
        {"sources.h", "plugin/sources"},
        {"topics.h", "core/topics"},
        {"train.h", "core/learn"},
        {"training_set.h", "core/pool"},
        {"weight.h", "plugin/database"},
    };
    return all;
}

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
        {"python", {{"python"}, {"config", "plugin", "plugin/store", "core"}}},
        {"with", {{"with"}, {"config", "plugin", "plugin/store", "core"}}},
    };
    return all;
}

Violations check_includes(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.is_code()) continue;
        const std::string here = placed(file.path);
        const bool has_rules = !library_of(here).empty();
        if (is_public(file.path) && here == file.path) {
            violations.push_back({file.path, 0, "is in no row of public_headers()"});
        }
        for (const Include& include : includes_of(file)) {
            if (!include.target.starts_with("braid/")) {
                if (!include.quoted) continue;
                violations.push_back({file.path, include.line,
                                      "includes \"" + include.target +
                                          "\", expected \"braid/...\", or <...> for another "
                                          "library's header"});
                continue;
            }
            const std::string target = path_of(include.target.substr(6));
            std::string problem;
            if (is_public(file.path) && !is_public(target)) {
                problem = "is public and includes " + include.target + ", which is not";
            } else if (file.is_below("python") && !is_public(target)) {
                problem = "is built on what is installed and includes " + include.target +
                          ", which is not public";
            } else if (has_rules) {
                problem = problem_of(here, placed(target));
            }
            if (!problem.empty()) violations.push_back({file.path, include.line, problem});
        }
    }
    return violations;
}

Violations check_own_header_first(const SourceTree& tree) {
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.path.ends_with(".cpp")) continue;
        std::string own = file.path.substr(0, file.path.size() - 3) + "h";
        if (tree.paths.count(own) == 0) {
            const std::string name = own.substr(own.rfind('/') + 1);
            const auto found = public_headers().find(name);
            if (found == public_headers().end() || found->second + "/" + name != own) continue;
            own = name;
        }
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
        const std::string library = library_of(placed(file.path));
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
    constexpr std::size_t kMostHeaders = 25;
    constexpr std::size_t kMostLines = 4000;
    Violations violations;
    const BuildLists lists = read_build_lists(tree);
    std::set<std::string> headers;
    std::size_t lines = 0;
    for (const SourceFile& file : tree.files) {
        if (!file.is_header() || !is_public(file.path)) continue;
        headers.insert(file.path);
        lines += static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
        if (lists.headers.count(file.path) == 0) {
            violations.push_back({file.path, 0, "is public, but in no HEADERS"});
        }
    }
    for (const std::string& header : lists.headers) {
        if (headers.count(header) == 0) {
            violations.push_back({header, 0, "is in HEADERS, but not there"});
        }
    }
    const auto at_most = [&](std::size_t found, std::size_t most, const std::string& what) {
        if (found <= most) return;
        violations.push_back(
            {std::string(kPublicFolder), 0,
             std::to_string(found) + " " + what + ", expected at most " + std::to_string(most)});
    };
    at_most(headers.size(), kMostHeaders, "public headers");
    at_most(lines, kMostLines, "lines of public headers");
    return violations;
}

}  // namespace braid::architecture

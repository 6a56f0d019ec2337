// SPDX-License-Identifier: GPL-2.0-or-later
#include <cctype>
#include <regex>
#include <sstream>

#include "braid/tests/architecture/rules.h"

namespace braid::architecture {
namespace {

// Markdown with its code blanked, fenced and inline: what looks like a link there is none.
std::string without_code(const std::string& text) {
    std::string result;
    bool fenced = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool fence = line.find("```") != std::string::npos;
        if (fence || fenced) {
            line.clear();
        } else {
            bool code = false;
            for (char& c : line) {
                if (c == '`') code = !code;
                if (code) c = ' ';
            }
        }
        if (fence) fenced = !fenced;
        result += line + '\n';
    }
    return result;
}

// The anchor of a heading as GitHub makes it: lower case, no punctuation, hyphens for spaces.
std::string anchor_of(const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
        if (c == ' ' || c == '-') anchor += '-';
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0) {
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return anchor;
}

bool has_heading(const std::string& text, const std::string& anchor) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t level = line.find_first_not_of('#');
        if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
        if (anchor_of(line.substr(level + 1)) == anchor) return true;
    }
    return false;
}

bool leads_elsewhere(const std::string& target) {
    return target.find("://") != std::string::npos || target.starts_with("mailto:");
}

const SourceFile* find(const SourceTree& tree, const std::string& path) {
    for (const SourceFile& file : tree.files) {
        if (file.path == path) return &file;
    }
    return nullptr;
}

// The path that a link leads to.
std::string path_of(const SourceFile& from, const std::string& target) {
    std::string path = target.substr(0, target.find('#'));
    if (path.empty()) return from.path;
    path = (std::filesystem::path(folder_of(from.path)) / path).lexically_normal().generic_string();
    while (path.ends_with('/')) path.pop_back();
    return path;
}

// What is wrong with a link; "" if it leads somewhere.
std::string problem_of(const SourceTree& tree, const SourceFile& from, const std::string& target) {
    const std::string path = path_of(from, target);
    const std::size_t hash = target.find('#');
    const std::string anchor = hash == std::string::npos ? "" : target.substr(hash + 1);
    if (tree.paths.count(path) == 0) return "links to " + target + ", which isn't there";
    const SourceFile* file = find(tree, path);
    if (anchor.empty() || file == nullptr || !path.ends_with(".md")) return "";
    return has_heading(file->text, anchor) ? ""
                                           : "links to " + target + ", a heading that isn't there";
}

}  // namespace

Violations check_links(const SourceTree& tree) {
    static const std::regex pattern(
        R"re(\]\(([^()\s]+)[^()]*\)|(?:^|\n)\[[^\]\n]+\]:[ \t]*(\S+))re");
    Violations violations;
    for (const SourceFile& file : tree.files) {
        if (!file.path.ends_with(".md")) continue;
        const std::string text = without_code(file.text);
        for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
            const std::string target = (*at)[1].str() + (*at)[2].str();
            if (leads_elsewhere(target)) continue;
            const std::string problem = problem_of(tree, file, target);
            if (problem.empty()) continue;
            const auto offset = static_cast<std::size_t>(at->position(at->str(1).empty() ? 2 : 1));
            violations.push_back({file.path, line_of(text, offset), problem});
        }
    }
    return violations;
}

}  // namespace braid::architecture

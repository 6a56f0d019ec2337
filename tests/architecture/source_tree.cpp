// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/architecture/source_tree.h"

#include <algorithm>
#include <array>

#include "braid/tests/support/support.h"

namespace braid::architecture {
namespace {

constexpr std::array kFolders = {"include",  "core",    "config", "plugin", "indexer",
                                 "cli",      "python",  "tests",  "bench",  "docs",
                                 "examples", "scripts", "cmake",  ".ci"};

bool is_read(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".h" || ending == ".cpp" || ending == ".md" ||
           path.filename() == "CMakeLists.txt";
}

// A literal's end, just after its closing quote; `at` is the opening quote.
std::size_t literal_end(std::string_view code, std::size_t at) {
    const bool raw = code[at] == '"' && at > 0 && code[at - 1] == 'R';
    if (raw) {
        const std::size_t open = code.find('(', at);
        const std::string close = ")" + std::string(code.substr(at + 1, open - at - 1)) + "\"";
        const std::size_t end = code.find(close, open);
        return end == std::string_view::npos ? code.size() : end + close.size();
    }
    for (std::size_t i = at + 1; i < code.size(); ++i) {
        if (code[i] == '\\') {
            ++i;
        } else if (code[i] == code[at] || code[i] == '\n') {
            return i + 1;
        }
    }
    return code.size();
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// 1'000 has no character literal in it.
bool is_digit_separator(std::string_view code, std::size_t at) {
    return code[at] == '\'' && at > 0 && at + 1 < code.size() && code[at - 1] >= '0' &&
           code[at - 1] <= '9' && is_word(code[at + 1]);
}

void blank(std::string& text, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        if (text[i] != '\n') text[i] = ' ';
    }
}

}  // namespace

void SourceTree::add(const std::string& path, const std::string& text) {
    files.push_back({path, text});
    for (std::string part = path; !part.empty(); part = folder_of(part)) paths.insert(part);
}

SourceTree read_source_tree(const std::filesystem::path& root) {
    SourceTree tree;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        if (entry.is_regular_file()) found.push_back(entry.path());
    }
    for (const char* folder : kFolders) {
        if (!std::filesystem::exists(root / folder)) continue;
        tree.paths.insert(folder);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    for (const std::filesystem::path& path : found) {
        const std::string name = path.lexically_relative(root).generic_string();
        tree.paths.insert(name);
        if (std::filesystem::is_regular_file(path) && is_read(path)) {
            tree.files.push_back({name, test::read_file(path)});
        }
    }
    return tree;
}

std::string Violation::to_string() const {
    return path + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + problem;
}

std::string without_comments(std::string_view code, bool literals) {
    std::string result(code);
    for (std::size_t i = 0; i < code.size();) {
        const std::string_view rest = code.substr(i);
        std::size_t end = i + 1;
        if (rest.starts_with("//")) {
            end = std::min(code.find('\n', i), code.size());
            blank(result, i, end);
        } else if (rest.starts_with("/*")) {
            end = std::min(code.find("*/", i + 2), code.size() - 2) + 2;
            blank(result, i, end);
        } else if ((code[i] == '"' || code[i] == '\'') && !is_digit_separator(code, i)) {
            end = literal_end(code, i);
            if (literals) blank(result, i + 1, end - 1);
        }
        i = end;
    }
    return result;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace braid::architecture

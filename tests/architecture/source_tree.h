// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace braid::architecture {

/// A file of the project, as the rules see it.
struct SourceFile {
    std::string path;  ///< From the project's folder, with slashes: "core/base/error.h".
    std::string text;

    bool is_header() const { return path.ends_with(".h"); }
    bool is_source() const { return path.ends_with(".cpp"); }
    bool is_code() const { return is_header() || is_source(); }
    bool is_below(std::string_view folder) const {
        return path.starts_with(folder) && path.substr(folder.size(), 1) == "/";
    }
    /// Of a library that other programs link.
    bool is_library() const {
        return is_below("core") || is_below("config") || is_below("plugin") || is_below("indexer");
    }
};

/// The project, or one that a test planted.
struct SourceTree {
    std::vector<SourceFile> files;  ///< Code, Markdown and CMakeLists.txt.
    std::set<std::string> paths;    ///< Every file and folder there is.

    void add(const std::string& path, const std::string& text);
};

/// Reads the folders and the top-level files that belong to the project; no build folder.
SourceTree read_source_tree(const std::filesystem::path& root);

/// A breach of a rule.
struct Violation {
    std::string path;
    std::size_t line = 0;  ///< From 1; 0 for the file as a whole.
    std::string problem;

    std::string to_string() const;
    bool operator==(const Violation&) const = default;
};

using Violations = std::vector<Violation>;

/// C++ with its comments blanked out, and with `literals` the contents of strings and characters
/// too. Every byte keeps its place.
std::string without_comments(std::string_view code, bool literals);

/// The line, from 1, of a byte.
std::size_t line_of(std::string_view text, std::size_t offset);

/// The folder's name in the path; "" for a file at the top.
std::string folder_of(const std::string& path);

}  // namespace braid::architecture

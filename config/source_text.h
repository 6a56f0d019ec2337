// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/config/yaml.h"

namespace braid::yaml {

/// The longest text accepted; the largest models are far smaller.
inline constexpr std::size_t kMaxTextSize = 4 << 20;

/// The text of a YAML file, checked to be UTF-8 without control characters. Borrows the text.
class SourceText {
  public:
    /// Throws ConfigError for a text that is too long, not UTF-8, has a control character (yaml-cpp
    /// ends at a byte 4 and drops a lone carriage return), or nests brackets so deep that parsing
    /// would take excessive memory.
    SourceText(std::string_view text, const std::string& file);

    /// Without a byte order mark.
    std::string_view text() const { return text_; }
    const std::string& file() const { return file_; }

    /// The position of a byte, given its line and its byte in that line, both from 0; clamped to
    /// the end.
    Position position(std::size_t line, std::size_t byte) const;

    /// The byte's offset in the text, clamped to the text's size.
    std::size_t offset(std::size_t line, std::size_t byte) const;

    /// The line without its end; "" beyond the last.
    std::string_view line(std::size_t line) const;

    /// Throws ConfigError "file:line:column: problem".
    [[noreturn]] void fail(Position position, const std::string& problem) const;

  private:
    void check() const;
    [[noreturn]] void fail_at(std::size_t offset, const std::string& problem) const;

    std::string_view text_;
    std::string file_;
    std::vector<std::size_t> line_starts_;
};

/// A node with its path, for error messages. Borrows the document.
class Place {
  public:
    /// The root. `known_paths` are the paths of all keys, for suggestions.
    Place(const SourceText& source, const Node& root, const std::vector<std::string>& known_paths);

    const Node& node() const { return *node_; }
    const std::string& path() const { return path_; }

    Place entry(const Entry& entry) const;
    Place item(std::size_t index) const;

    /// Throws ConfigError "file:line:column: path: found {this}, expected {expected}", and if one
    /// of `allowed` is similar: "; did you mean '...'?"
    [[noreturn]] void fail(const std::string& expected,
                           const std::vector<std::string>& allowed = {}) const;

    /// Throws ConfigError for a key that isn't one of `known`, and suggests the nearest of them, or
    /// the same key elsewhere.
    [[noreturn]] void fail_unknown(const Entry& entry, const std::vector<std::string>& known) const;

    /// Throws ConfigError for a problem at `path` below this place ("", or "fields[2].prefix"),
    /// with the position of the deepest existing node on that path.
    [[noreturn]] void fail_below(std::string_view path, const std::string& problem) const;

  private:
    const SourceText* source_;
    const std::vector<std::string>* known_paths_;
    const Node* node_;
    std::string path_;
};

/// "one, two, three"
std::string comma_list(const std::vector<std::string>& words);

}  // namespace braid::yaml

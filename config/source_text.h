// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/config/yaml_node.h"

namespace braid::yaml {

/// The longest text that is read; the largest models are far below it.
inline constexpr std::size_t kMaxTextSize = 4 << 20;

/// The text of a YAML file, known to be UTF-8 without control characters. Borrows the text.
class SourceText {
  public:
    /// Throws ConfigError for a text that no YAML parser should see: too long, not UTF-8, with a
    /// control character (yaml-cpp ends at a byte 4 and drops a lone carriage return), or with
    /// brackets nested so deep that parsing them would take memory out of proportion.
    SourceText(std::string_view text, const std::string& file);

    /// Without a byte order mark.
    std::string_view text() const { return text_; }
    const std::string& file() const { return file_; }

    /// The position of a byte, by its line and its byte in that line, both from 0; places beyond
    /// the end become the end.
    Position position(std::size_t line, std::size_t byte) const;

    /// The byte's offset in the text; the text's size for what is beyond it.
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

/// A node with the way to it, which is what an error has to say. Borrows the document.
class Place {
  public:
    /// The root. `known_paths` are the paths of all keys there are, for suggestions.
    Place(const SourceText& source, const Node& root, const std::vector<std::string>& known_paths);

    const Node& node() const { return *node_; }
    const std::string& path() const { return path_; }

    Place entry(const Entry& entry) const;
    Place item(std::size_t index) const;

    /// Throws ConfigError "file:line:column: path: found {this}, expected {expected}", and where
    /// one of `allowed` is close to what was found: "; did you mean '...'?"
    [[noreturn]] void fail(const std::string& expected,
                           const std::vector<std::string>& allowed = {}) const;

    /// Throws ConfigError for a key that isn't one of `known`, and suggests the nearest of them,
    /// or a key of that name elsewhere.
    [[noreturn]] void fail_unknown(const Entry& entry, const std::vector<std::string>& known) const;

    /// Throws ConfigError for what is wrong below this place, at `path` from here ("", or
    /// "fields[2].prefix"); says the position of the deepest node there that the text has.
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

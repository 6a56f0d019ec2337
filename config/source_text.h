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

}  // namespace braid::yaml

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

// What the readers of line formats share. Private to this library.

/// Blanks between columns. A carriage return counts, so that CRLF files need no care.
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

inline std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Takes the next run of non-blanks off the front of `rest`; "" where there is none.
inline std::string_view take_word(std::string_view& rest) {
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    const std::string_view word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

/// Lines of a text in memory, numbered from 1; a byte order mark at its start is passed over.
class TextLines {
  public:
    explicit TextLines(std::string_view text) : rest_(text) {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    }

    /// Without the newline; a carriage return stays.
    bool next(std::string_view& line) {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++number_;
        return true;
    }

    std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

/// The whole of `text` as a number, without regard to the locale. "+1" is one; "inf" and "nan"
/// are parsed. What is too small for a double becomes 0, what is too large becomes infinite.
std::optional<double> parse_number(std::string_view text);

/// `text` in quotes for an error message: at most 60 bytes of it, what can't be printed as \xNN.
std::string quoted(std::string_view text);

/// "1 column", "3 columns".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

// Helpers of the readers of line formats. Private to this library.

/// Blanks between columns, including carriage returns, so that CRLF files work.
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

inline std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// The first blank or newline from `place` on; one must exist.
inline const char* word_end(const char* place) {
    for (;; ++place) {
        if (static_cast<unsigned char>(*place) > ' ') continue;  // Nearly always.
        if (is_blank(*place) || *place == '\n') return place;
    }
}

/// Removes the next run of non-blanks from the front of `rest`; "" if there is none.
inline std::string_view take_word(std::string_view& rest) {
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest.size() && !is_blank(rest[end])) ++end;
    const std::string_view word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

/// Lines of a text in memory, numbered from 1.
class TextLines {
  public:
    explicit TextLines(std::string_view text) : rest_(text) {}

    /// Has no newline; a carriage return stays.
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

/// Reads a plain decimal such as "-12.5" at `place` and returns where it ends, or nullptr where
/// there is none or only a slower way gives the nearest double: for exponents (the result then
/// points at the "e"), more than 19 digits, or more than 53 bits. Below that the digits and the
/// power of ten are exact doubles, so that one division rounds once.
inline const char* scan_decimal(const char* place, const char* end, double& value) {
    constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0) return nullptr;  // Extended registers round twice.
    const bool negative = place != end && *place == '-';
    if (negative) ++place;
    std::uint64_t digits = 0;
    const auto scan_digits = [&] {
        const char* const first = place;
        for (; place != end; ++place) {
            const unsigned digit = static_cast<unsigned char>(*place) - unsigned{'0'};
            if (digit > 9) break;
            digits = 10 * digits + digit;
        }
        return static_cast<std::size_t>(place - first);
    };
    const std::size_t before = scan_digits();
    std::size_t after = 0;
    if (place != end && *place == '.') {
        ++place;
        after = scan_digits();
    }
    const std::size_t count = before + after;
    if (count == 0 || count > 19 || digits > (std::uint64_t{1} << 53)) return nullptr;
    value = static_cast<double>(digits) / kPowers[after];
    if (negative) value = -value;
    return place;
}

/// The whole of `text` as a number, without regard to the locale. "+1" is one; "inf" and "nan"
/// are parsed. Underflow becomes 0, overflow infinite.
std::optional<double> parse_number(std::string_view text);

/// `text` in quotes for an error message: at most 60 bytes of it, what can't be printed as \xNN.
std::string in_quotes(std::string_view text);

/// "1 column", "3 columns".
std::string counted(std::size_t count, const std::string& noun);

enum class Separator { kBlanks, kTab, kComma };

/// Cuts lines into cells. Cells cut at tabs and commas lose the blanks around them, and an empty
/// last cell is left out; cells cut at commas may be quoted, with "" for a quote. The cells are
/// views into the line or, for quoted ones, into this object, until the next call.
class ColumnCutter {
  public:
    const std::vector<std::string_view>& cut(std::string_view line, Separator separator);

  private:
    std::string_view take_quoted(std::string_view& rest);

    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_;
};

}  // namespace braid

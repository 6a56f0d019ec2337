// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/scan.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace braid {
namespace {

// from_chars leaves the value alone when it is out of range. The first digit that counts and the
// exponent say on which side.
double out_of_range(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::size_t exponent = text.find_first_of("eE");
    const bool small = exponent != std::string_view::npos
                           ? text.substr(exponent + 1).starts_with('-')
                           : text.find_first_of("123456789") > text.find('.');
    const double value = small ? 0 : std::numeric_limits<double>::infinity();
    return negative ? -value : value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
        return std::nullopt;
    }
    return error == std::errc::result_out_of_range ? out_of_range(text) : value;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kMost = 60;
    std::string result = "'";
    for (const char c : text.substr(0, kMost)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\t') {
            result += "\\t";
        } else if (byte < 0x20 || byte >= 0x7f) {
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    return result + (text.size() > kMost ? "...'" : "'");
}

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// `rest` begins with the opening quote. What follows the closing one, up to the next comma, is
// kept as it is; a quote that is never closed reaches to the end of the line.
std::string_view ColumnCutter::take_quoted(std::string_view& rest) {
    std::string& text = unquoted_.emplace_back();
    std::size_t i = 1;
    for (; i < rest.size(); ++i) {
        if (rest[i] != '"') {
            text += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
            text += rest[i++];
        } else {
            ++i;
            break;
        }
    }
    const std::size_t comma = rest.find(',', i);
    text += trim(rest.substr(i, comma == std::string_view::npos ? comma : comma - i));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma);
    return text;
}

const std::vector<std::string_view>& ColumnCutter::cut(std::string_view line, Separator separator) {
    cells_.clear();
    if (separator == Separator::kBlanks) {
        for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
            cells_.push_back(word);
        }
        return cells_;
    }
    unquoted_.clear();
    const char mark = separator == Separator::kTab ? '\t' : ',';
    for (bool more = true; more;) {
        if (separator == Separator::kComma) {
            while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        }
        if (separator == Separator::kComma && line.starts_with('"')) {
            cells_.push_back(take_quoted(line));
        } else {
            const std::size_t end = line.find(mark);
            cells_.push_back(trim(line.substr(0, end)));
            line.remove_prefix(end == std::string_view::npos ? line.size() : end);
        }
        more = !line.empty();
        if (more) line.remove_prefix(1);
    }
    while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
    return cells_;
}

}  // namespace braid

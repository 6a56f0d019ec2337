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

std::string quoted(std::string_view text) {
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

}  // namespace braid

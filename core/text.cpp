// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/text.h"

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kMaxShown = 40;

}  // namespace

std::size_t utf8_sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    const bool over_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    const bool too_high = first == 0xF4 && byte(1) >= 0x90;
    return over_long || surrogate || too_high ? 0 : length;
}

std::string shown(std::string_view text) {
    std::string result = "'";
    for (std::size_t i = 0; i < text.size();) {
        if (result.size() > kMaxShown) return result + "...'";
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = utf8_sequence_length(text, i);
        if (length == 0 || byte < 0x20 || byte == 0x7F) {
            result += byte == '\n' ? "\\n" : fmt::format("\\x{:02X}", byte);
            ++i;
        } else {
            result += text.substr(i, length);
            i += length;
        }
    }
    return result + "'";
}

}  // namespace braid

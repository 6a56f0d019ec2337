// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/text_cleaning.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace braid {
namespace {

// Windows-1252 from 0x80 to 0x9F; above, it is Latin-1.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

bool is_plain(unsigned char byte) {
    return (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t';
}

// Eight bytes at once: no high bit, none below 0x20, none 0x7F. Tabs and newlines fail it and
// are then looked at one by one.
bool all_printable(std::uint64_t bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHigh = 0x8080808080808080U;
    return ((bytes | (bytes - 0x20 * kOnes) | (bytes + kOnes)) & kHigh) == 0;
}

std::size_t skip_plain(std::string_view text, std::size_t at) {
    for (;;) {
        while (at + 8 <= text.size()) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, text.data() + at, 8);
            if (!all_printable(bytes)) break;
            at += 8;
        }
        const std::size_t end = std::min(at + 8, text.size());
        while (at < end && is_plain(static_cast<unsigned char>(text[at]))) ++at;
        if (at < end || at == text.size()) return at;
    }
}

// Length of the well-formed UTF-8 sequence of two to four bytes that begins at `at`, else 0: the
// table "Well-Formed UTF-8 Byte Sequences" of the Unicode standard.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) {
        if (first == 0xE0 && second < 0xA0) return 0;
        if (first == 0xED && second > 0x9F) return 0;
        return continues(2) ? 3 : 0;
    }
    if (first == 0xF0 && second < 0x90) return 0;
    if (first == 0xF4 && second > 0x8F) return 0;
    return continues(2) && continues(3) ? 4 : 0;
}

// U+0080 to U+009F are C2 80 to C2 9F.
bool is_control_sequence(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]) == 0xC2 &&
           static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

// The first byte at or after `at` that clean_text has to change.
std::size_t find_unclean(std::string_view text, std::size_t at) {
    for (;;) {
        at = skip_plain(text, at);
        if (at == text.size()) return at;
        const std::size_t length = sequence_length(text, at);
        if (length == 0 || is_control_sequence(text, at)) return at;
        at += length;
    }
}

// Appends what stands for the unclean byte or sequence at `at`; returns where the text goes on.
std::size_t replace_unclean(std::string_view text, std::size_t at, std::string& cleaned,
                            CleaningResult& result) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\r') {
        if (at + 1 == text.size() || text[at + 1] != '\n') cleaned += '\n';
        return at + 1;
    }
    if (byte < 0x80) {
        result.had_nul |= byte == 0;
        cleaned += ' ';
        return at + 1;
    }
    const std::size_t length = sequence_length(text, at);
    if (length > 0) {
        cleaned += ' ';
        return at + length;
    }
    result.converted = true;
    const char32_t code = windows_1252(byte);
    append_utf8(code < 0xA0 ? U' ' : code, cleaned);
    return at + 1;
}

}  // namespace

CleaningResult clean_text(std::string& text) {
    CleaningResult result;
    std::size_t at = find_unclean(text, 0);
    if (at == text.size()) return result;
    std::string cleaned;
    cleaned.reserve(text.size() + text.size() / 8);
    std::size_t copied = 0;
    while (at < text.size()) {
        cleaned.append(text, copied, at - copied);
        copied = replace_unclean(text, at, cleaned, result);
        at = find_unclean(text, copied);
    }
    cleaned.append(text, copied, text.size() - copied);
    text = std::move(cleaned);
    return result;
}

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
        const std::size_t length = ascii ? 1 : sequence_length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

void append_utf8(char32_t code, std::string& text) {
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
    };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0U | (code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0U | (code >> 12));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0U | (code >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

char32_t windows_1252(unsigned char byte) {
    return byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80U] : byte;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kWhiteSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kLength = 40;
    std::size_t length = std::min(text.size(), kLength);
    // Not in the middle of a character.
    while (length > 0 && length < text.size() &&
           (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    std::string result(trimmed(text.substr(0, length)));
    clean_text(result);
    std::replace(result.begin(), result.end(), '\n', ' ');
    if (length < text.size()) result += "...";
    return result;
}

}  // namespace braid

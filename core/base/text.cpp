// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kMaxShown = 40;

using Range = std::pair<char32_t, char32_t>;

// What controls a terminal, changes the direction of text, or can't be seen; in ascending order.
constexpr std::array<Range, 22> kHidden = {{
    {0x00, 0x1F},        // C0 controls
    {0x7F, 0x9F},        // DEL and C1 controls
    {0xAD, 0xAD},        // soft hyphen
    {0x34F, 0x34F},      // grapheme joiner
    {0x61C, 0x61C},      // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian variation selectors
    {0x200B, 0x200F},    // zero-width characters, direction marks
    {0x2028, 0x202E},    // line separators, direction embeddings
    {0x2060, 0x206F},    // word joiner, invisible operators, direction isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFDD0, 0xFDEF},    // noncharacters
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // Hangul filler
    {0xFFF0, 0xFFFB},    // interlinear annotation
    {0xFFFE, 0xFFFF},    // noncharacters
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, variation selectors
    {0x10FFFE, 0x10FFFF},
}};

bool is_hidden(char32_t code) {
    const auto range = std::lower_bound(
        kHidden.begin(), kHidden.end(), code,
        [](const Range& candidate, char32_t wanted) { return candidate.second < wanted; });
    return range != kHidden.end() && range->first <= code;
}

// Parts of a visible character where they follow one.
bool is_joined(char32_t code) {
    return code == 0x200C || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F);
}

char32_t code_point(std::string_view sequence) {
    constexpr std::array<unsigned, 5> kFirstBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = static_cast<unsigned char>(sequence[0]) & kFirstBits[sequence.size()];
    for (const char c : sequence.substr(1)) {
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return code;
}

std::string written_out(char32_t code) {
    if (code == '\n') return "\\n";
    if (code < 0x80) return fmt::format("\\x{:02X}", static_cast<unsigned>(code));
    if (code <= 0xFFFF) return fmt::format("\\u{:04X}", static_cast<unsigned>(code));
    return fmt::format("\\U{:08X}", static_cast<unsigned>(code));
}

// The character at `at` as it may be shown, and the bytes that it takes. `joins`: the character
// before it is one beyond ASCII that is shown as it is.
std::pair<std::string, std::size_t> shown_character(std::string_view text, std::size_t at,
                                                    bool joins) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length == 0) {
        return {fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at])), 1};
    }
    const std::string_view sequence = text.substr(at, length);
    const char32_t code = code_point(sequence);
    if (!is_hidden(code) || (joins && is_joined(code))) return {std::string(sequence), length};
    return {written_out(code), length};
}

bool is_plain(char c) { return c >= ' ' && c < '\x7F'; }

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
    bool joins = false;
    for (std::size_t i = 0; i < text.size();) {
        if (result.size() > kMaxShown) return result + "...'";
        const auto [character, length] = shown_character(text, i, joins);
        result += character;
        joins = !is_plain(character[0]);
        i += length;
    }
    return result + "'";
}

std::string visible(std::string_view text, std::string_view kept) {
    std::string result;
    result.reserve(text.size());
    bool joins = false;
    for (std::size_t i = 0; i < text.size();) {
        if (is_plain(text[i]) || kept.find(text[i]) != std::string_view::npos) {
            result += text[i++];
            joins = false;
            continue;
        }
        const auto [character, length] = shown_character(text, i, joins);
        result += character;
        joins = !is_plain(character[0]);
        i += length;
    }
    return result;
}

bool has_control(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        const bool pair = byte == 0xC2 && i + 1 < text.size();
        if (pair && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance, by rows: `previous` and `before` are the two rows above.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + !same});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                 lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

}  // namespace

std::string lower_cased(std::string_view text) {
    std::string result(text);
    for (char& letter : result) letter = lower(letter);
    return result;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = 0;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        const std::size_t longer = std::max(word.size(), candidate.size());
        const bool close = distance < longer && distance <= std::max<std::size_t>(1, longer / 3);
        if (close && (best.empty() || distance < best_distance)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace braid

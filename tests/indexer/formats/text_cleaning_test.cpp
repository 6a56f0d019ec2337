// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/text_cleaning.h"

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using braid::clean_text;
using braid::is_utf8;

namespace {

std::string cleaned(std::string text) {
    clean_text(text);
    return text;
}

// The length of the UTF-8 character at `at`, by decoding it and judging its number; 0 for none.
std::size_t character_length(const std::string& text, std::size_t at, std::uint32_t& code) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80   ? 1
                               : byte < 0xC0 ? 0
                               : byte < 0xE0 ? 2
                               : byte < 0xF0 ? 3
                                             : 4;
    if (length == 0 || byte >= 0xF8 || at + length > text.size()) return 0;
    code = length == 1 ? byte : byte & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if (next < 0x80 || next > 0xBF) return 0;
        code = code << 6 | (next & 0x3FU);
    }
    const std::uint32_t least = length == 2   ? 0x80
                                : length == 3 ? 0x800
                                : length == 4 ? 0x10000
                                              : 0;
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code >= least && code <= 0x10FFFF && !surrogate ? length : 0;
}

std::string naive_clean(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::uint32_t code = 0;
        const std::size_t length = character_length(text, at, code);
        if (length == 0) code = braid::windows_1252(static_cast<unsigned char>(text[at]));
        at += std::max<std::size_t>(length, 1);
        if (code == '\r') {
            if (at == text.size() || text[at] != '\n') result += '\n';
        } else if ((code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0)) {
            result += ' ';
        } else {
            braid::append_utf8(code, result);
        }
    }
    return result;
}

}  // namespace

TEST_CASE("Text cleaning: what is UTF-8 stays, and says so") {
    const std::string text = "plain\ttext\nna\u00EFve \u20AC \U0001F600 \u65E5\u672C";
    std::string copy = text;
    const braid::CleaningResult result = clean_text(copy);
    CHECK(copy == text);
    CHECK_FALSE(result.converted);
    CHECK_FALSE(result.had_nul);
}

TEST_CASE("Text cleaning: other bytes are windows-1252") {
    CHECK(cleaned("caf\xE9") == "caf\u00E9");
    CHECK(cleaned("\x93quoted\x94 \x80 5") == "\u201Cquoted\u201D \u20AC 5");
    CHECK(cleaned("\x81\x8D") == "  ");
    // A character cut off at the end leaves those before it alone.
    CHECK(cleaned("\u00E9t\xC3") == "\u00E9t\u00C3");
    std::string text = "\xFF";
    CHECK(clean_text(text).converted);
}

TEST_CASE("Text cleaning: over-long forms, surrogates and numbers out of range are not UTF-8") {
    for (const char* bad :
         {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xE2\x82", "\xF0\x9F\x98"}) {
        CHECK_FALSE(is_utf8(bad));
        CHECK(is_utf8(cleaned(bad)));
    }
    for (const char* good : {"\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                             "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        CHECK(is_utf8(good));
    }
}

TEST_CASE("Text cleaning: control characters are spaces, and every line end is a newline") {
    CHECK(cleaned("a\x19"
                  "b\x7F"
                  "c\u0085d\x1B") == "a b c d ");
    CHECK(cleaned("a\r\nb\rc\r") == "a\nb\nc\n");
    std::string text("a\0b", 3);
    CHECK(clean_text(text).had_nul);
    CHECK(text == "a b");
}

TEST_CASE("Text cleaning: equals a naive cleaner on random bytes", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 20000; ++round) {
        // Mostly plain text, so that the fast path runs into everything at every offset.
        std::string text;
        const std::size_t size = random.below(40);
        for (std::size_t i = 0; i < size; ++i) {
            const bool plain = random.below(100) < 70;
            text += static_cast<char>(plain ? 'a' + random.below(26) : random.below(256));
        }
        const std::string result = cleaned(text);
        REQUIRE(result == naive_clean(text));
        REQUIRE(is_utf8(result));
        REQUIRE(cleaned(result) == result);
    }
}

TEST_CASE("Text cleaning: trimming and excerpts") {
    CHECK(braid::trimmed(" \t\n a b \r\n") == "a b");
    CHECK(braid::trimmed(" \n").empty());
    CHECK(braid::lower_cased("Ab-\u00C9") == "ab-\u00C9");
    CHECK(braid::excerpt("short\n") == "short");
    const std::string cut = braid::excerpt(std::string(39, 'x') + "\u00E9" + std::string(9, 'y'));
    CHECK(cut == std::string(39, 'x') + "...");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/text.h"

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using braid::has_control;
using braid::shown;
using braid::utf8_sequence_length;
using braid::visible;

TEST_CASE("Text: the length of a UTF-8 sequence is that of its first byte") {
    CHECK(utf8_sequence_length("a", 0) == 1);
    CHECK(utf8_sequence_length("x\xc3\xa4", 1) == 2);
    CHECK(utf8_sequence_length("\xe2\x82\xac", 0) == 3);
    CHECK(utf8_sequence_length("\xed\x9f\xbf", 0) == 3);      // U+D7FF
    CHECK(utf8_sequence_length("\xf0\x90\x80\x80", 0) == 4);  // U+10000
    CHECK(utf8_sequence_length("\xf4\x8f\xbf\xbf", 0) == 4);  // U+10FFFF
}

TEST_CASE("Text: what is not UTF-8 has no length") {
    for (const char* bad : {"\x80", "\xbf", "\xc3", "\xc3(", "\xe2\x82", "\xf0\x90\x80", "\xc0\x80",
                            "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // over-long
                            "\xed\xa0\x80", "\xed\xbf\xbf",                  // surrogates
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
        CHECK(utf8_sequence_length(bad, 0) == 0);
    }
}

TEST_CASE("Text: what is shown in a message is one line of UTF-8 of bounded length") {
    CHECK(shown("") == "''");
    CHECK(shown("na\xc3\xafve") == "'na\xc3\xafve'");
    CHECK(shown("a\nb\tc\x7f") == "'a\\nb\\x09c\\x7F'");
    CHECK(shown("\xff\xc3") == "'\\xFF\\xC3'");
    CHECK(shown(std::string(40, 'x')) == "'" + std::string(40, 'x') + "'");
    CHECK(shown(std::string(41, 'x')) == "'" + std::string(40, 'x') + "...'");
    CHECK(shown(std::string(39, 'x') + "\xf0\x90\x80\x80z") ==
          "'" + std::string(39, 'x') + "\xf0\x90\x80\x80...'");
}

TEST_CASE("Text: what is visible has no control, hidden or broken character") {
    CHECK(visible("plain text, na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\x8b") ==
          "plain text, na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\x8b");
    CHECK(visible(std::string("\0\x1b[31m\x7f\n\t", 9)) == "\\x00\\x1B[31m\\x7F\\n\\x09");
    CHECK(visible("a\nb\tc", "\n") == "a\nb\\x09c");
    CHECK(visible("\x9b"
                  "31m \xff") == "\\x9B31m \\xFF");
    CHECK(visible("\xc2\x9b"
                  "31m\xc2\x9d") == "\\u009B31m\\u009D");
    CHECK(visible("a\xe2\x80\xae"
                  "b\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c") == "a\\u202Eb\\u2066\\u200F\\u061C");
    CHECK(visible("a\xe2\x80\x8b"
                  "b\xef\xbb\xbf\xc2\xad") == "a\\u200Bb\\uFEFF\\u00AD");
    CHECK(visible("\xe2\x80\xa8") == "\\u2028");
    CHECK(visible("\xf3\xa0\x80\x81") == "\\U000E0001");
}

TEST_CASE("Text: joiners are visible as part of a character beyond ASCII alone") {
    const std::string joiner = "\xe2\x80\x8d";
    const std::string woman = "\xf0\x9f\x91\xa9";
    const std::string rocket = "\xf0\x9f\x9a\x80";
    CHECK(visible(woman + joiner + rocket) == woman + joiner + rocket);
    CHECK(visible("pay" + joiner + "pal") == "pay\\u200Dpal");
    CHECK(visible(joiner) == "\\u200D");
    CHECK(visible(woman + joiner + joiner) == woman + joiner + joiner);
}

TEST_CASE("Text: visible text stays as it is, whatever it was made of [property]") {
    braid::Random random(braid::test::seed(), 1);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        const auto length = random.below(12);
        for (std::uint64_t i = 0; i < length; ++i) {
            static const char* const kPieces[] = {"a",    "\x1b",
                                                  "\xe2", "\x80",
                                                  "\xae", "\xe2\x80\x8d",
                                                  "\xc2", "\x9b",
                                                  "\n",   "\xf0\x9f\x91\xa9"};
            text += kPieces[random.below(10)];
        }
        const std::string once = visible(text);
        CHECK(visible(once) == once);
        CHECK_FALSE(has_control(once));
    }
}

TEST_CASE("Text: control characters are C0, DEL and C1") {
    CHECK(has_control("a\x1b"));
    CHECK(has_control("a\tb"));
    CHECK(has_control(std::string(1, '\0')));
    CHECK(has_control("\x7f"));
    CHECK(has_control("x\xc2\x80"));
    CHECK(has_control("x\xc2\x9f"));
    CHECK_FALSE(has_control("x\xc2\xa0 \xe2\x80\xae \xff\x9b"));
}

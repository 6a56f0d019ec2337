// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/text.h"

#include "braid/tests/support/support.h"

using braid::shown;
using braid::utf8_sequence_length;

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

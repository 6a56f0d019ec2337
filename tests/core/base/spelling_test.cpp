// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/text.h"
#include "braid/tests/support/support.h"

using braid::nearest_word;

TEST_CASE("Spelling: the nearest word is found") {
    const std::vector<std::string> known = {"bm25", "stemmer", "stop_words", "positions"};
    CHECK(nearest_word("stemer", known) == "stemmer");
    CHECK(nearest_word("Positions", known) == "positions");
    CHECK(nearest_word("bm52", known) == "bm25");  // a swap of neighbours costs 1
    CHECK(nearest_word("stopwords", known) == "stop_words");
}

TEST_CASE("Spelling: a word like none of them gives nothing") {
    CHECK(nearest_word("zebra", {"bm25", "stemmer"}).empty());
    CHECK(nearest_word("", {"bm25"}).empty());
    CHECK(nearest_word("bm25", {}).empty());
}

TEST_CASE("Spelling: among equally near words the first wins") {
    CHECK(nearest_word("pat", {"pas", "par"}) == "pas");
}

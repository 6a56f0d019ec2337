// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/random.h"
#include "braid/indexer/documents/document_builder.h"
#include "braid/tests/support/support.h"

TEST_CASE("Caching stemmer: stems as the other one does, in any order of words", "[property]") {
    const Xapian::Stem plain("english");
    const Xapian::Stem caching(new braid::CachingStemmer(plain));
    CHECK(caching("").empty());
    CHECK(caching.get_description() == "Xapian::Stem(" + plain.get_description() + ")");
    braid::Random random(braid::test::seed());
    std::vector<std::string> words;
    const std::vector<std::string> endings = {"", "s", "ing", "ed", "ational", "ly", "\xC3\xA9"};
    // More words than there are places, so that they drive each other out.
    for (int i = 0; i < 12000; ++i) {
        std::string word;
        for (std::uint64_t j = 1 + random.below(5); j > 0; --j) {
            word += static_cast<char>('a' + random.below(26));
        }
        words.push_back(word + endings[random.below(endings.size())]);
    }
    for (int i = 0; i < 50000; ++i) {
        const std::string& word = words[random.below(random.below(2) ? 100 : words.size())];
        if (caching(word) != plain(word)) FAIL(word);
    }
}

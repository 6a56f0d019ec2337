// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/stop_words.h"

#include <algorithm>

#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid::test;

namespace {

using Words = std::vector<std::string>;

Words parse(std::string_view text) { return braid::parse_stop_words(text, "list"); }

}  // namespace

TEST_CASE("Stop words: a list has one word a line, with comments and empty lines") {
    CHECK(parse("the\n\n# a comment\nof  \r\n\tand # why\nnor | as in Snowball's lists\n|\n") ==
          Words{"and", "nor", "of", "the"});
    CHECK(parse("").empty());
    CHECK(parse("\n#\n").empty());
    CHECK(parse("last") == Words{"last"});
    CHECK(parse("\xEF\xBB\xBFthe\n") == Words{"the"});
}

TEST_CASE("Stop words: case and repetition make no difference") {
    CHECK(parse("The\nTHE\nof\nthe\n") == Words{"of", "the"});
    CHECK(parse("isn't\nc#\na|b\n") == Words{"a|b", "c#", "isn't"});
}

TEST_CASE("Stop words: a line of several words is an error with its number") {
    CHECK_THROWS_WITH(parse("the\nof and\n"),
                      "list:2: found 'of and', expected one stop word a line");
    CHECK_THROWS_AS(parse("of\tand\n"), braid::FormatError);
    CHECK_THROWS_WITH(parse(std::string_view("a\0b\n", 4)), Contains("list:1: found a zero byte"));
}

TEST_CASE("Stop words: Braid's own list is sorted and has the words that matter") {
    const Words words = braid::english_stop_words();
    CHECK(words.size() > 250);
    CHECK(std::is_sorted(words.begin(), words.end()));
    CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
    for (const char* word : {"the", "a", "of", "and", "is", "it's", "isn't", "whom"}) {
        INFO(word);
        CHECK(std::binary_search(words.begin(), words.end(), word));
    }
    CHECK(parse("the\n").size() == 1);
    std::string as_file;
    for (const std::string& word : words) as_file += word + "\n";
    CHECK(parse(as_file) == words);
}

TEST_CASE("Stop words: names stand for no list, Braid's own or a file") {
    const braid::test::TemporaryFolder folder;
    CHECK(braid::load_stop_words("none").empty());
    CHECK(braid::load_stop_words("english") == braid::english_stop_words());
    braid::test::write_file(folder / "mine", "two\none\n");
    CHECK(braid::load_stop_words(folder / "mine") == Words{"one", "two"});
    CHECK_THROWS_WITH(braid::load_stop_words(folder / "absent"),
                      Contains("absent': can't read the file: No such file") &&
                          Contains("expected none, english or a file"));
    CHECK_THROWS_WITH(braid::load_stop_words(folder.path()), Contains("it is a folder"));
}

TEST_CASE("Stop words: settings that have the words no longer need the file") {
    const braid::test::TemporaryFolder folder;
    braid::test::write_file(folder / "mine", "two\none\n");
    braid::AnalysisSettings analysis{.stop_words = folder / "mine"};
    braid::resolve_stop_words(analysis);
    CHECK(analysis.stop_list == Words{"one", "two"});
    braid::test::write_file(folder / "mine", "three\n");
    braid::resolve_stop_words(analysis);
    CHECK(analysis.stop_list == Words{"one", "two"});
}

TEST_CASE("Stop words: the SMART list is read as it is distributed") {
    const auto file = braid::test::shared_file("data/stop/smart.571");
    BRAID_SKIP_WITHOUT(file);
    const Words words = braid::load_stop_words(*file);
    CHECK(words.size() == 570);  // 571 lines, one word twice
    CHECK(std::binary_search(words.begin(), words.end(), "isn't"));
}

TEST_CASE("Stop words: a file without an end is refused") {
    CHECK_THROWS_WITH(braid::load_stop_words("/dev/zero"),
                      Catch::Matchers::Contains("/dev/zero: found a line longer than"));
}

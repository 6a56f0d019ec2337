// SPDX-License-Identifier: GPL-2.0-or-later
// What is no YAML, or YAML that settings don't have, or that would cost more than it says.
#include "braid/core/base/random.h"
#include "braid/tests/config/config_errors.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using braid::test::config_error;
using namespace braid::test;

TEST_CASE("YAML errors: what is no YAML, with its place") {
    check_texts(
        config_error,
        {{"search: {wildcards: true\n", "2:1: found no }, expected one"},
         {"index: {stored: [a\n", "2:1: found no ], expected one"},
         {"index:\n  stored: a: b\n",
          "2:12: found what is not YAML: illegal map value (put a text with ': ' in quotes, and "
          "indent the keys of one map alike)"},
         {"index:\n  stored: [@a]\n",
          "2:12: found what is not YAML: unknown token (put a text that begins with a sign in "
          "quotes)"}});
    CHECK_THAT(config_error("index: \"\\q\"\n"), StartsWith("1:11: found what is not YAML: "));
    CHECK_THAT(config_error("%YAML 3.0\n---\n"), StartsWith("1:1: found what is not YAML: "));
}

TEST_CASE("YAML errors: a tab as indentation") {
    CHECK_THAT(config_error("search:\n\twildcards: true\n"),
               Contains("found a tab in the indentation, expected spaces"));
    CHECK_THAT(config_error("search:\n  spelling: true\n\twildcards: true\n"),
               Contains("found a tab in the indentation, expected spaces"));
}

TEST_CASE("YAML errors: a quote that is never closed swallows no settings") {
    check_texts(config_error,
                {{"index:\n  stored: [\"abc\n", "2:12: found a \" that no other closes"},
                 {"index:\n  stored: ['it''s\n", "2:12: found a ' that no other closes"},
                 {"index: {analysis: {stemmer: \"a\\\"\n", "1:29: found a \" that no other closes"},
                 {"index: {analysis: {stemmer: \"a\\\\\"}}\n", ""},
                 {"index: {analysis: {stemmer: 'a''b'}}\n", ""}});
}

TEST_CASE("YAML errors: a second document") {
    const std::string expected =
        "found a second document, or a line further left than the first; expected one document";
    check_texts(config_error, {{"search:\n---\nindex:\n", "2:1: " + expected},
                               {"---\n---\n", "2:1: " + expected},
                               {"  search:\nindex:\n", "2:1: " + expected}});
}

TEST_CASE("YAML errors: a key that comes twice") {
    check_texts(
        config_error,
        {{"search:\n  wildcards: true\n  spelling: true\n  wildcards: false\n",
          "4:3: found the key 'wildcards' a second time (first in line 2), expected each key once"},
         {"search: {}\n\"search\": {}\n",
          "2:1: found the key 'search' a second time (first in line 1), expected each key once"}});
}

TEST_CASE("YAML errors: a key that is no word") {
    check_texts(config_error,
                {{"? [a]\n: b\n", "1:3: found a list or map as a key, expected a word"},
                 {"{{a: b}: c}", "1:2: found a list or map as a key, expected a word"},
                 {"\"\": 1\n", "1:1: found an empty key, expected a word"},
                 {": 1\n", "1:1: found an empty key, expected a word"}});
}

TEST_CASE("YAML errors: anchors, aliases and tags") {
    check_texts(
        config_error,
        {{"search: &x {}\nmodel: *x\n",
          "1:9: found an anchor or alias (& or *), expected the value itself"},
         {"index: {batch: &n 5}\n",
          "1:16: found an anchor or alias (& or *), expected the value itself"},
         {"index: {stored: &n ~}\n",
          "1:17: found an anchor or alias (& or *), expected the value itself"},
         {"search: *x\n",
          "1:9: found an alias (*), expected the value itself (put a text that begins with * in "
          "quotes)"},
         {"search: !!map {}\n",
          "1:9: found a tag ('tag:yaml.org,2002:map'), expected a value without one"},
         {"index: {batch: !!int 5}\n",
          "1:16: found a tag ('tag:yaml.org,2002:int'), expected a value without one"}});
}

TEST_CASE("YAML errors: bytes that are no text") {
    check_texts(
        config_error,
        {{"index: \xff\n", "1:8: found the byte 0xFF, expected UTF-8"},
         {"# \xc3\xa4\n# \xc3(\n", "2:3: found the byte 0xC3, expected UTF-8"},
         {"index: \xed\xa0\x80\n", "1:8: found the byte 0xED, expected UTF-8"},
         // yaml-cpp takes this byte for the end of the file.
         {"search:\n  spelling: true\n\x04  nonsense\n",
          "3:1: found the control character 0x04, expected text"},
         {std::string("a\0b", 3), "1:2: found the control character 0x00, expected text"},
         {"search:\r  spelling: true\r", "1:8: found the control character 0x0D, expected text"},
         {std::string("\xff\xfes\0e\0", 6), "1:1: found the byte 0xFF, expected UTF-8"}});
}

TEST_CASE("YAML errors: nesting is refused before it costs a stack") {
    check_texts(config_error, {{"index: {stored: " + repeated("[", 18) + repeated("]", 18) + "}",
                                "1:18: index.stored[0]: found a list, expected names of fields"},
                               {"index: {stored: " + repeated("[", 19) + repeated("]", 19) + "}",
                                "1:35: found lists and maps nested deeper than 20"}});
    CHECK_THAT(config_error(repeated("- ", 100000)), Contains("nested deeper than 20"));
    CHECK_THAT(config_error(repeated("? ", 100000)), Contains("as a key"));
    CHECK_THAT(config_error(repeated("{a: ", 100000)), Contains("brackets nested too deep"));
    CHECK_THAT(config_error(repeated("[", 1000000)), Contains("brackets nested too deep"));
    std::string block;
    for (int depth = 0; depth < 500; ++depth) block += repeated(" ", depth) + "a:\n";
    CHECK(config_error(block) == "21:21: found lists and maps nested deeper than 20");
}

TEST_CASE("YAML errors: a billion laughs cost nothing") {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
                repeated(", " + before, 9) + "]\n";
    }
    CHECK_THAT(config_error(text), Contains("found an anchor or alias"));
}

TEST_CASE("YAML errors: a text longer than any configuration is refused, not parsed") {
    check_texts(config_error, {{repeated("#\n", (2 << 20)), ""},
                               {repeated("#\n", (2 << 20)) + "\n",
                                "1:1: found 4194305 bytes, expected at most 4194304"}});
}

TEST_CASE("YAML errors: every cut and many changes of a good file are read or refused",
          "[property]") {
    braid::Settings settings;
    settings.index.stored = {"it's", "\xc3\xa4 \"x\"\n", "*"};
    settings.index.stored.pop_back();
    settings.model.rankers = {{.ranker = "bm25", .parameters = {{"k1", 1.25}}, .weight = 0.5}};
    const std::string text = braid::format_settings(settings, true);
    int refused = 0;
    for (std::size_t size = 0; size < text.size(); size += 7) {
        refused += config_error(text.substr(0, size)).empty() ? 0 : 1;
    }
    CHECK(refused > 20);

    braid::Random random(braid::test::seed());
    const std::string signs = "{}[]:,-?#&*!|>'\"%@` \n\t\r\\~a0";
    refused = 0;
    const std::string plain = braid::format_settings(settings);
    for (int round = 0; round < 2000; ++round) {
        std::string changed = plain;
        for (std::uint64_t i = random.below(3) + 1; i > 0; --i) {
            const char sign = random.below(20) == 0 ? static_cast<char>(random.below(256))
                                                    : signs[random.below(signs.size())];
            const std::size_t at = random.below(changed.size());
            if (random.below(2) == 0) {
                changed[at] = sign;
            } else {
                changed.insert(at, 1, sign);
            }
        }
        const std::string message = config_error(changed);
        refused += message.empty() ? 0 : 1;
        CHECK(message.find('\n') == std::string::npos);
    }
    CHECK(refused > 1000);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <limits>

#include "braid/config.h"
#include "braid/tests/config/config_errors.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

TEST_CASE("Settings file: an empty one means the defaults") {
    for (const char* text :
         {"", "\n", "# nothing\n", "---\n", "---\n...\n", "{}", "\xEF\xBB\xBF", "%YAML 1.2\n---\n",
          "index:\nsearch:\nmodel:\n", "index:\n  analysis:\n"}) {
        CHECK(parse_settings(text, "file.yaml") == Settings{});
    }
}

TEST_CASE("Settings file: every key is read into its place") {
    const Settings settings = parse_settings(R"(
index:
  analysis:
    stemmer: german2
    stemming: all
    stop_words: none
    stop_documents: true
    positions: false
    max_word_length: 40
  fields:
    - {name: subject, prefix: S, weight: 3}
    - name: size
      free_text: false
      slot: 7
      numeric: true
    - {name: tag, prefix: XTAG, exact: true}
  stored: [subject, "*x"]
  batch: 500
search:
  default_operator: and
  wildcards: true
  spelling: true
  snippet_length: 0
model:
  rankers:
    - ranker: bm25
      name: words
      field: subject
      parameters: {k1: 1.5, b: .25}
      weight: 2e-1
)",
                                             "file.yaml");
    Settings expected;
    expected.index.analysis = {.stemmer = "german2",
                               .stemming = braid::AnalysisSettings::Stemming::kAll,
                               .stop_words = "none",
                               .stop_documents = true,
                               .positions = false,
                               .max_word_length = 40};
    expected.index.fields = {
        {.name = "subject", .prefix = "S", .weight = 3},
        {.name = "size", .free_text = false, .slot = 7, .numeric = true},
        {.name = "tag", .prefix = "XTAG", .exact = true},
    };
    expected.index.stored = {"subject", "*x"};
    expected.index.batch = 500;
    expected.search = {
        .default_operator = "and", .wildcards = true, .spelling = true, .snippet_length = 0};
    expected.model.rankers = {{.ranker = "bm25",
                               .name = "words",
                               .field = "subject",
                               .parameters = {{"b", 0.25}, {"k1", 1.5}},
                               .weight = 0.2}};
    CHECK(settings == expected);
}

TEST_CASE("Settings file: the other forms of YAML mean the same") {
    Settings expected;
    expected.search.default_operator = "and";
    expected.index.stored = {"title", "text"};
    const std::vector<std::string> texts = {
        "search:\n  default_operator: and\nindex:\n  stored:\n  - title\n  - text\n",
        "{search: {default_operator: and}, index: {stored: [title, text]}}",
        ("\"search\":\r\n    'default_operator': \"and\"  # why\r\n"
         "index: {stored: [title,\r\n  text]}\r\n"),
        R"(
? search
: default_operator: >-
    and
index:
  stored: ['title', "te\x78t"])",
        R"(--- !
search:
  default_operator:
    and
index:
  stored:
    - |-
      title
    - text
...)"};
    for (const std::string& text : texts) {
        INFO(text);
        CHECK(braid::test::config_error(text) == "");
        CHECK(parse_settings(text, "file.yaml") == expected);
    }
}

TEST_CASE("Settings file: words that YAML 1.1 takes for truth values are text where text is due") {
    const Settings settings =
        parse_settings("index: {stored: [no, 5, 'null', 2001-01-01]}", "file.yaml");
    CHECK(settings.index.stored == std::vector<std::string>{"no", "5", "null", "2001-01-01"});
}

TEST_CASE("Settings file: numbers are read as decimal, to the last bit") {
    const auto weight = [](const std::string& text) {
        return parse_settings("model: {rankers: [{ranker: bm25, weight: " + text + "}]}", "file")
            .model.rankers[0]
            .weight;
    };
    CHECK(weight("0.1") == 0.1);
    CHECK(weight("+.5") == 0.5);
    CHECK(weight("5.") == 5);
    CHECK(weight("1E3") == 1000);
    CHECK(weight("4.9e-324") == 4.9e-324);
    CHECK(weight("9.9999999999999982e99") == 9.9999999999999982e99);
}

TEST_CASE("Settings file: what is written names every key, comments or not") {
    const std::string plain = format_settings({});
    const std::string commented = format_settings({}, true);
    CHECK(plain.find('#') == std::string::npos);
    for (const char* key : {"stemmer: english\n", "stemming: some\n", "batch: 10000\n",
                            "    - {name: title, prefix: S, weight: 2}\n", "default_operator: or\n",
                            "    - {ranker: bm25}\n"}) {
        CHECK_THAT(plain, Contains(key));
        CHECK_THAT(commented, Contains(key));
    }
    CHECK_THAT(commented, Contains("# Bytes; longer words are dropped. (an integer from 1 to 240; "
                                   "default 64)\n    max_word_length: 64\n"));
    CHECK(parse_settings(commented, "file.yaml") == Settings{});
}

TEST_CASE("Settings file: what could not be read back is not written") {
    Settings settings;
    settings.index.batch = 0;
    CHECK_THROWS_AS(format_settings(settings), braid::InvalidArgument);
    settings = {};
    settings.model.rankers[0].weight = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(format_settings(settings), braid::InvalidArgument);
    settings = {};
    settings.index.analysis.stop_words = "\xff";
    CHECK_THROWS_AS(format_settings(settings), braid::InvalidArgument);
    settings = {};
    settings.search.default_operator = "xor";
    CHECK_THROWS_AS(format_settings(settings), braid::InvalidArgument);
}

TEST_CASE("Settings file: a path is read, and stands in messages") {
    const TemporaryFolder folder;
    write_file(folder / "good.yaml", "search: {wildcards: true}\n");
    CHECK(load_settings((folder / "good.yaml").string()).search.wildcards);

    const std::string bad = (folder / "bad.yaml").string();
    write_file(bad, "search: {wildcard: true}\n");
    CHECK_THROWS_WITH(load_settings(bad), Contains(bad + ":1:10: search.wildcard: "));
    const std::string missing = (folder / "missing.yaml").string();
    CHECK_THROWS_WITH(load_settings(missing),
                      missing + ": can't be read: No such file or directory");
    CHECK_THROWS_AS(load_settings(folder.path().string()), braid::ConfigError);
}

TEST_CASE("Settings file: one that has no end is not read to its end") {
    CHECK_THROWS_WITH(load_settings("/dev/zero"), Contains("expected at most 4194304"));
}

TEST_CASE("Settings file: a file of stop words is found beside the configuration") {
    const TemporaryFolder folder;
    const auto stop_words = [&](const std::string& value) {
        write_file(folder / "c.yaml", "index: {analysis: {stop_words: " + value + "}}\n");
        return load_settings((folder / "c.yaml").string()).index.analysis.stop_words;
    };
    CHECK(stop_words("words/stop.txt") == (folder / "words/stop.txt").string());
    CHECK(stop_words("./stop.txt") == (folder / "stop.txt").string());
    CHECK(stop_words("/etc/stop.txt") == "/etc/stop.txt");
    CHECK(stop_words("none") == "none");
    CHECK(stop_words("english") == "english");
}

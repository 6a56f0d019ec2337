// SPDX-License-Identifier: GPL-2.0-or-later
// What a configuration says that is YAML and yet can't be meant: place, found, expected.
#include "braid/tests/config/config_errors.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using braid::test::config_error;
using namespace braid::test;

TEST_CASE("Settings errors: an unknown key, with the nearest known one") {
    check_texts(
        config_error,
        {{"index:\n  analysis:\n    stemer: english\n",
          "3:5: index.analysis.stemer: found an unknown key, expected stemmer, stemming, "
          "stop_words, stop_documents, positions, spelling, max_word_length; did you mean "
          "'stemmer'?"},
         {"colour: red\n",
          "1:1: colour: found an unknown key, expected index, search, limits, topics, model, "
          "training"},
         {"index: {fields: [{name: title, prefx: S}]}\n",
          "1:32: index.fields[0].prefx: found an unknown key, expected name, prefix, free_text, "
          "exact, weight, slot, numeric; did you mean 'prefix'?"}});
}

TEST_CASE("Settings errors: a key in the wrong section, with the right one") {
    check_texts(
        config_error,
        {{"stemmer: english\n",
          "1:1: stemmer: found an unknown key, expected index, search, limits, topics, model, "
          "training; did "
          "you mean "
          "'index.analysis.stemmer'?"},
         {"model: {weight: 3}\n",
          "1:9: model.weight: found an unknown key, expected rankers, normaliser, function, "
          "candidates, provenance, calibration; did you mean 'model.rankers[].weight'?"}});
}

TEST_CASE("Settings errors: merge keys are unknown keys") {
    CHECK(config_error("search: {<<: {wildcards: true}}\n") ==
          "1:10: search.<<: found an unknown key, expected default_operator, wildcards, spelling, "
          "candidates, clusters_visited, snippet_length");
}

TEST_CASE("Settings errors: a value of the wrong kind") {
    check_texts(
        config_error,
        {{"text",
          "1:1: found 'text', expected a map of index, search, limits, topics, model, training"},
         {"- a\n",
          "1:1: found a list, expected a map of index, search, limits, topics, model, training"},
         {"search: []\n",
          "1:9: search: found an empty list, expected a map of default_operator, wildcards, "
          "spelling, candidates, clusters_visited, snippet_length"},
         {"index:\n  batch: {}\n",
          "2:10: index.batch: found an empty map, expected an integer from 1 to 100000000"},
         {"index:\n  fields: title\n",
          "2:11: index.fields: found 'title', expected a list of maps ([] for none)"},
         {"index:\n  fields:\n  - title\n",
          "3:5: index.fields[0]: found 'title', expected a map of name, prefix, free_text, exact, "
          "weight, slot, numeric"},
         {"index:\n  fields:\n    title: {prefix: S}\n",
          "3:5: index.fields: found a map, expected a list of maps ([] for none)"},
         {"index: {stored: [[a]]}\n",
          "1:18: index.stored[0]: found a list, expected names of fields"},
         {"model: {rankers: [{ranker: bm25, parameters: [k1]}]}\n",
          "1:46: model.rankers[0].parameters: found a list, expected a map of a ranker's "
          "parameters to numbers ({} for none)"},
         {"index: {analysis: {stemmer: [a]}}\n",
          "1:29: index.analysis.stemmer: found a list, expected a language, or none"}});
}

TEST_CASE("Settings errors: an empty value, at its key") {
    check_texts(config_error,
                {{"index:\n  batch:\n\n\nsearch:\n",
                  "2:3: index.batch: found nothing, expected an integer from 1 to 100000000"},
                 {"index:\n  fields:\n",
                  "2:3: index.fields: found nothing, expected a list of maps ([] for none)"},
                 {"index: {analysis: {stemmer: ~}}\n",
                  "1:20: index.analysis.stemmer: found nothing, expected a language, or none"},
                 {"index: {analysis: {stemmer: ''}}\n",
                  "1:29: index.analysis.stemmer: found nothing, expected a language or none"},
                 {"index: {stored: [a, ]}\n", ""},
                 {"index: {stored: [a, ~]}\n",
                  "1:21: index.stored[1]: found nothing, expected names of fields"}});
}

TEST_CASE("Settings errors: numbers that are none, or out of range") {
    const auto batch = [](const std::string& value) {
        return config_error("index: {batch: " + value + "}");
    };
    const auto refused = [](const std::string& found) {
        return "1:16: index.batch: found " + found + ", expected an integer from 1 to 100000000";
    };
    CHECK(batch("1") == "");
    CHECK(batch("100000000") == "");
    CHECK(batch("0") == refused("'0'"));
    CHECK(batch("100000001") == refused("'100000001'"));
    CHECK(batch("-1") == refused("'-1'"));
    CHECK(batch("\"10\"") == refused("'10' in quotes"));
    for (const std::string bad : {"ten", "1e3", "10.0", "010", "0x10", "1_000", "+5", "10k",
                                  "18446744073709551617", "99999999999999999999999"}) {
        CHECK(batch(bad) == refused("'" + bad + "'"));
    }

    const auto weight = [](const std::string& value) {
        return config_error("model: {rankers: [{ranker: bm25, weight: " + value + "}]}");
    };
    for (const std::string bad : {"-0.1", ".nan", ".inf", "nan", "inf", "1e400", "1e-400", "0x1p3",
                                  "1e", "1.2.3", "++1", "+-1", "e5", "."}) {
        CHECK(weight(bad) == "1:42: model.rankers[0].weight: found '" + bad +
                                 "', expected a number of at least 0");
    }
}

TEST_CASE("Settings errors: truth values other than true and false") {
    const auto wildcards = [](const std::string& value) {
        return config_error("search: {wildcards: " + value + "}");
    };
    const auto refused = [](const std::string& found, const std::string& meant) {
        return "1:21: search.wildcards: found " + found + ", expected true or false" +
               (meant.empty() ? "" : "; did you mean '" + meant + "'?");
    };
    for (const char* word : {"yes", "Yes", "on", "True", "TRUE", "ture"}) {
        CHECK(wildcards(word) == refused("'" + std::string(word) + "'", "true"));
    }
    for (const char* word : {"no", "NO", "off", "False", "flase"}) {
        CHECK(wildcards(word) == refused("'" + std::string(word) + "'", "false"));
    }
    CHECK(wildcards("1") == refused("'1'", ""));
    CHECK(wildcards("maybe") == refused("'maybe'", ""));
    CHECK(wildcards("'true'") == refused("'true' in quotes", ""));
}

TEST_CASE("Settings errors: a word that is not one of the few") {
    check_texts(
        config_error,
        {{"search: {default_operator: adn}",
          "1:28: search.default_operator: found 'adn', expected or, and; did you mean 'and'?"},
         {"index: {analysis: {stemming: sone}}",
          "1:30: index.analysis.stemming: found 'sone', expected some, all, none; did you mean "
          "'some'?"}});
}

TEST_CASE("Settings errors: what a map must have and what contradicts itself, at its place") {
    check_texts(
        config_error,
        {{"index:\n  fields:\n    - {prefix: S}\n",
          "3:7: index.fields[0].name: found nothing, expected the name of a field"},
         {"index:\n  fields:\n    - {name: a}\n    - {name: b, prefix: title}\n",
          "4:25: index.fields[1].prefix: found 'title', expected a capital letter, or X and more "
          "of them"},
         {"index: {fields: [{name: a}, {name: a}]}",
          "1:36: index.fields[1].name: found 'a' a second time, expected each name once"},
         {"index: {fields: [{name: a, free_text: false}]}",
          "1:18: index.fields[0]: found no prefix, no slot and no free text, expected one of them, "
          "or no entry for 'a'"},
         {"model: {rankers: [{weight: 1}]}",
          "1:19: model.rankers[0].ranker: found nothing, expected the name of a ranker"}});
}

TEST_CASE("Settings errors: rankers and parameters that don't exist, with those that do") {
    CHECK_THAT(config_error("model: {rankers: [{weight: 2, ranker: bm26}]}"),
               StartsWith("1:39: model.rankers[0].ranker: found 'bm26', expected one of bm25, ") &&
                   EndsWith("; did you mean 'bm25'?"));
    CHECK_THAT(config_error("model:\n  rankers:\n    - {ranker: bm25, parameters: {k2: 1}}\n"),
               StartsWith("3:35: model.rankers[0].parameters.k2: found an unknown key, expected "
                          "k1, b, ") &&
                   EndsWith("; did you mean 'k1'?"));
    check_texts(
        config_error,
        {{"model: {rankers: [{ranker: dph, parameters: {b: 1}}]}",
          "1:45: model.rankers[0].parameters: found a map, expected dph without parameters"},
         {"model: {rankers: [{ranker: dph, parameters: {}}]}", ""}});
}

TEST_CASE("Settings errors: a model that can't rank, at its place") {
    check_texts(
        config_error,
        {{"model: {rankers: []}", "1:18: model.rankers: found none, expected at least one"},
         {"model: {rankers: [{ranker: bm25}, {ranker: bm25}]}",
          "1:35: model.rankers[1].name: found 'bm25', which rankers[0] is called too; expected a "
          "name of its own"},
         {"model: {rankers: [{ranker: bm25, parameters: {b: 2}}]}",
          "1:50: model.rankers[0].parameters.b: found 2, expected 0 to 1"},
         {"model: {rankers: [{ranker: bm25, weight: 0}, {ranker: dph, weight: 0}]}",
          "1:18: model.rankers: all weights are 0, expected at least one above"}});
}

TEST_CASE("Settings errors: columns count characters, not bytes") {
    CHECK(config_error("index: {stored: [\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80], batch: 0}") ==
          "1:31: index.batch: found '0', expected an integer from 1 to 100000000");
}

TEST_CASE("Settings errors: a message is one line, whatever the file says") {
    const std::string long_name(1000, 'x');
    for (const std::string& text :
         {std::string("\"a\\nb\": 1"), std::string("index: {batch: \"1\\n2\"}"),
          std::string("index: {fields: [{name: \"a\\nb\"}, {name: \"a\\nb\"}]}"),
          std::string("index: {fields: [{name: a, prefix: \"S\\n\"}]}"),
          std::string("index: {stored: [\"a\\nb\", \"a\\nb\"]}"),
          std::string("{\"a\\nb\": 1, \"a\\nb\": 2}"), long_name + ": 1",
          "index: {batch: " + long_name + "}"}) {
        const std::string message = config_error(text);
        INFO(message);
        CHECK(message != "");
        CHECK(message.find('\n') == std::string::npos);
        CHECK(message.size() < 250);
    }
}

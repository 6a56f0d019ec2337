// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/settings.h"

#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::FieldSettings;
using braid::IndexSettings;
using braid::SearchSettings;

namespace {

// What validate says of the default settings after `change`; "" if nothing.
std::string problem_after(auto&& change) {
    IndexSettings settings;
    change(settings);
    try {
        validate(settings);
    } catch (const braid::InvalidSetting& error) {
        CHECK(std::string(error.what()) == error.path() + ": " + error.problem());
        return error.what();
    }
    return "";
}

std::string problem_of(const FieldSettings& field) {
    return problem_after([&](IndexSettings& settings) { settings.fields = {field}; });
}

}  // namespace

TEST_CASE("Settings: the defaults are valid") {
    CHECK_NOTHROW(validate(IndexSettings{}));
    CHECK_NOTHROW(validate(SearchSettings{}));
}

TEST_CASE("Settings: values out of range are refused, with their path") {
    CHECK(problem_after([](IndexSettings& s) { s.analysis.max_word_length = 0; }) ==
          "analysis.max_word_length: found 0, expected 1 to 240");
    CHECK(problem_after([](IndexSettings& s) { s.analysis.max_word_length = 240; }).empty());
    CHECK(problem_after([](IndexSettings& s) { s.analysis.max_word_length = 241; }) ==
          "analysis.max_word_length: found 241, expected 1 to 240");
    CHECK(problem_after([](IndexSettings& s) { s.batch = 0; }) ==
          "batch: found 0, expected 1 to 100000000");
    CHECK(problem_after([](IndexSettings& s) { s.analysis.stemmer.clear(); }) ==
          "analysis.stemmer: found nothing, expected a language or none");
    CHECK(problem_after([](IndexSettings& s) { s.analysis.stop_words.clear(); }) ==
          "analysis.stop_words: found nothing, expected none, english or a file");
    CHECK(problem_of({.name = "title", .weight = 0}) ==
          "fields[0].weight: found 0, expected 1 to 1000");
    CHECK(problem_of({.name = "title", .slot = -2}) ==
          "fields[0].slot: found -2, expected 1 to 65535, or -1 for none");
    CHECK(problem_of({.name = "title", .slot = 65536}) ==
          "fields[0].slot: found 65536, expected 1 to 65535, or -1 for none");
    CHECK(problem_of({}) == "fields[0].name: found nothing, expected a name");
}

TEST_CASE("Settings: search settings out of range are refused") {
    const auto path_of = [](const SearchSettings& settings) -> std::string {
        try {
            validate(settings);
        } catch (const braid::InvalidSetting& error) {
            return error.path();
        }
        return "";
    };
    CHECK(path_of({.default_operator = "xor"}) == "default_operator");
    CHECK(path_of({.default_operator = "and"}).empty());
    CHECK(path_of({.snippet_length = 100001}) == "snippet_length");
}

TEST_CASE("Settings: a prefix begins with a capital letter that nothing else uses") {
    for (const char* good : {"S", "XSECTION", "XFOLDER:", "A"}) {
        CHECK(problem_of({.name = "f", .prefix = good}).empty());
    }
    for (const char* bad : {"s", "title", "1", "X Y", "X\xc3\xa4", ":"}) {
        CHECK(problem_of({.name = "f", .prefix = bad}) ==
              "fields[0].prefix: found '" + std::string(bad) +
                  "', expected a capital letter, or X and more of them");
    }
    CHECK(problem_of({.name = "f", .prefix = std::string(65, 'X')}) != "");
    for (const char* taken : {"Q", "R", "ZS", "XBRAIDC"}) {
        CHECK(problem_of({.name = "f", .prefix = taken}) ==
              "fields[0].prefix: found '" + std::string(taken) +
                  "', but what begins with Q, R, Z or XBRAID has a meaning of its own; expected "
                  "another capital letter, or X and more");
    }
}

TEST_CASE("Settings: prefixes of which one begins the other can't be told apart") {
    braid::IndexSettings settings;
    settings.fields = {{.name = "title", .prefix = "S"}, {.name = "size", .prefix = "SIZE"}};
    CHECK_THROWS_WITH(validate(settings),
                      "fields[1].prefix: found 'SIZE', which can't be told apart in terms from "
                      "prefix 'S' of field 'title'");
}

TEST_CASE("Settings: what would have no effect is refused") {
    CHECK(problem_of({.name = "tag", .exact = true}) ==
          "fields[0].exact: found true without a prefix, expected a prefix to filter by");
    CHECK(problem_of({.name = "size", .numeric = true}) ==
          "fields[0].numeric: found true without a slot, expected a slot to sort by");
    CHECK(problem_of({.name = "note", .free_text = false}) ==
          "fields[0]: found no prefix, no slot and no free text, expected one of them, or no entry "
          "for 'note'");
    CHECK(problem_of({.name = "size", .free_text = false, .slot = 1, .numeric = true}).empty());
    CHECK(problem_after([](IndexSettings& s) {
              s.stored = {"title", "*"};
          }) == "stored[1]: found '*', which stands for all, beside other names");
    CHECK(problem_after([](IndexSettings& s) {
              s.stored = {"title", "title"};
          }) == "stored[1]: found 'title' a second time, expected each name once");
    CHECK(problem_after([](IndexSettings& s) { s.stored = {""}; }) ==
          "stored[0]: found nothing, expected a field's name");
    CHECK(problem_after([](IndexSettings& s) { s.stored.clear(); }).empty());
}

TEST_CASE("Settings: two fields of one name or slot are refused, and the slot of names") {
    CHECK(problem_after([](IndexSettings& s) {
              s.fields = {{.name = "a"}, {.name = "b"}, {.name = "a"}};
          }) == "fields[2].name: found 'a' a second time, expected each name once");
    CHECK(problem_after([](IndexSettings& s) {
              s.fields = {{.name = "a", .slot = 3}, {.name = "b", .slot = 3}};
          }) == "fields[1].slot: found 3 a second time, expected each slot once");
    CHECK(problem_of({.name = "a", .slot = 0}) ==
          "fields[0].slot: found 0, but that slot holds documents' names; expected 1 to 65535, or "
          "-1 for none");
}

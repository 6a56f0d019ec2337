// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/json_documents.h"

#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/tests/indexer/formats/read_documents.h"

using namespace braid;
using namespace braid::test;
using Json = nlohmann::json;

namespace {

std::string parsed(const std::string& text) {
    std::vector<JsonValue> values;
    const braid::JsonProblem problem = parse_json_object(text, values);
    if (!problem.what.empty()) return std::to_string(problem.column) + ": " + problem.what;
    std::string result;
    for (const JsonValue& value : values) result += value.path + '=' + value.text + '|';
    return result;
}

std::string random_string(braid::Random& random) {
    constexpr std::string_view kAlphabet = "ab \"\\/\n\t\x01{}[]:,.u0";
    std::string text;
    for (std::uint64_t i = random.below(6); i > 0; --i) {
        if (random.below(8) == 0) {
            text += random.below(2) == 0 ? "\u00E9" : "\U0001F600";
        } else {
            text += kAlphabet[random.below(kAlphabet.size())];
        }
    }
    return text;
}

Json random_value(braid::Random& random, int depth) {
    switch (random.below(depth > 3 ? 4 : 7)) {
        case 0:
            return nullptr;
        case 1:
            return random.below(2) == 0;
        case 2:
            return static_cast<int>(random.below(2000)) - 1000;
        case 3:
            return random_string(random);
        case 4: {
            Json array = Json::array();
            for (std::uint64_t i = random.below(4); i > 0; --i) {
                array.push_back(random_value(random, depth + 1));
            }
            return array;
        }
        default: {
            Json object = Json::object();
            for (std::uint64_t i = random.below(4); i > 0; --i) {
                object[random_string(random)] = random_value(random, depth + 1);
            }
            return object;
        }
    }
}

void flatten(const Json& value, const std::string& path, std::string& result) {
    if (value.is_object()) {
        for (const auto& [key, inside] : value.items()) {
            flatten(inside, path.empty() ? key : path + '.' + key, result);
        }
    } else if (value.is_array()) {
        for (const Json& inside : value) flatten(inside, path, result);
    } else if (!value.is_null()) {
        result += path + '=' + (value.is_string() ? value.get<std::string>() : value.dump()) + '|';
    }
}

}  // namespace

TEST_CASE("JSON documents: BEIR's corpus") {
    CHECK(flat(read_text(R"({"_id": "d1", "title": "T", "text": "One\ntwo", "metadata": {}})"
                         "\n"
                         R"({"_id": "d2", "title": "", "text": "x", "metadata": {"url": "u"}})",
                         "jsonl")) ==
          Texts{"d1|title=T|text=One\ntwo", "d2|text=x|metadata.url=u"});
}

TEST_CASE("JSON documents: the id is the first of the usual names, or the one that is named") {
    const std::string line = R"({"id": 5, "DocNo": "n", "Key": "k", "uuid": "u"})";
    CHECK(flat(read_text(line, "jsonl")) == Texts{"5|docno=n|key=k|uuid=u"});
    ReaderOptions options;
    options.id_field = "key";
    CHECK(flat(read_text(line, "jsonl", options)) == Texts{"k|id=5|docno=n|uuid=u"});
    options.id_field = "absent";
    CHECK(flat(read_text(line, "jsonl", options)) == Texts{"|id=5|docno=n|key=k|uuid=u"});
    options.id_field = "a.b";
    CHECK(flat(read_text(R"({"a": {"b": "x"}, "t": "y"})", "jsonl", options)) == Texts{"x|t=y"});
}

TEST_CASE("JSON documents: nested values, arrays, numbers, words") {
    CHECK(
        flat(read_text(
            R"({"id":"1","tags":["a","b"],"who":[{"n":"x"},{"n":"y"}],"year":1.50e3,"ok":true,"no":null})",
            "jsonl")) == Texts{"1|tags=a|tags=b|who.n=x|who.n=y|year=1.50e3|ok=true"});
}

TEST_CASE("JSON documents: bytes that are not UTF-8 are converted, not refused") {
    const ReadResult result = read_text("{\"id\":\"1\",\"text\":\"caf\xE9\x01\"}\n", "jsonl");
    CHECK(flat(result) == Texts{"1|text=caf\u00E9"});
    CHECK(result.warnings.size() == 1);
}

TEST_CASE("JSON documents: a first line that is wrong is an error, a later one is skipped") {
    CHECK_THROWS_WITH(
        read_text("{\n \"id\": 1\n}\n", "jsonl"),
        "input:1: column 2: the line ends within the object; expected one JSON object "
        "a line");
    CHECK_THROWS_WITH(read_text("\n[{\"id\": 1}]\n", "jsonl"),
                      Catch::Contains("input:2: column 1: expected a JSON object, found '[{"));
    const ReadResult result =
        read_text("{\"id\":\"1\",\"t\":\"a\"}\n{\"id\":\n\n{\"id\":\"3\",\"t\":\"c\"}\n", "jsonl");
    CHECK(flat(result) == Texts{"1|t=a", "3|t=c"});
    CHECK(result.documents[1].where.to_string() == "input:4");
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0],
               Catch::Contains("input:2: record skipped: broken JSON (column 7: "));
}

TEST_CASE("JSON documents: a line over the limit is skipped") {
    ReaderOptions options;
    options.max_record = 40;
    const ReadResult result =
        read_text("{\"id\":\"1\"}\n{\"id\":\"" + std::string(90, 'x') + "\"}\n{\"id\":\"3\"}\n",
                  "jsonl", options);
    CHECK(flat(result) == Texts{"1", "3"});
    CHECK(result.warnings == Texts{"input:2: record skipped: longer than 40 bytes"});
}

TEST_CASE("JSON objects: escapes") {
    CHECK(parsed(R"({"a":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC"})") ==
          "a=\"\\/\b\f\n\r\tA\u00E9\u20AC|");
    CHECK(
        parsed(
            R"({"a":"\ud83d\ude00","b":"\ud83d","c":"\ude00","d":"\ud83dx","e":"\ud83d\u0041"})") ==
        "a=\U0001F600|b=\uFFFD|c=\uFFFD|d=\uFFFDx|e=\uFFFD"
        "A|");
    CHECK(parsed(R"({"a":"\x"})") == "8: unknown escape in a string");
    CHECK(parsed(R"({"a":"\u12g4"})") == "9: expected four hexadecimal digits");
    CHECK(parsed(R"({"a":"\)") == "8: the line ends within the object");
}

TEST_CASE("JSON objects: what the grammar refuses") {
    for (const char* bad : {"",
                            " ",
                            "[]",
                            "\"a\"",
                            "{",
                            "{]",
                            "{\"a\"}",
                            "{\"a\":}",
                            "{\"a\":1,}",
                            "{,}",
                            "{\"a\":1}}",
                            "{\"a\":1} x",
                            "{\"a\":01}",
                            "{\"a\":-}",
                            "{\"a\":1.}",
                            "{\"a\":.5}",
                            "{\"a\":1e}",
                            "{\"a\":tru}",
                            "{\"a\":True}",
                            "{\"a\":[1,]}",
                            "{\"a\":[1 2]}",
                            "{\"a\":[1}",
                            "{'a':1}",
                            "{a:1}",
                            "{\"a\":\"",
                            "{\"a\" 1}",
                            "{\"a\":+1}",
                            "{\"a\":NaN}"}) {
        INFO(bad);
        const bool is_object = Json::accept(bad) && Json::parse(bad).is_object();
        CHECK_FALSE(is_object);
        CHECK_THAT(parsed(bad), Catch::Contains(": "));
    }
}

TEST_CASE("JSON objects: depth is limited") {
    const auto nested = [](std::size_t depth) {
        std::string text = "{\"a\":";
        for (std::size_t i = 1; i < depth; ++i) text += "[";
        text += "1";
        for (std::size_t i = 1; i < depth; ++i) text += "]";
        return text + "}";
    };
    CHECK(parsed(nested(64)) == "a=1|");
    CHECK_THAT(parsed(nested(65)), Catch::Contains("nested deeper"));
    CHECK_THAT(parsed(nested(1000000)), Catch::Contains("nested deeper"));
}

TEST_CASE("JSON objects: agree with another parser on random values", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 5000; ++round) {
        Json object = Json::object();
        for (std::uint64_t i = random.below(5); i > 0; --i) {
            object[random_string(random)] = random_value(random, 1);
        }
        std::string expected;
        flatten(object, "", expected);
        const int indent = random.below(2) == 0 ? -1 : 1;
        const bool ascii = random.below(2) == 0;
        REQUIRE(parsed(object.dump(indent, ' ', ascii)) == expected);
    }
}

TEST_CASE("JSON objects: agree with another parser on what is JSON", "[property]") {
    braid::Random random(braid::test::seed(), 1);
    constexpr std::string_view kPieces[] = {"{",     "}", "[",      "]",    ":",    ",",
                                            "\"a\"", "1", "-0.5e1", "true", "null", " "};
    int accepted = 0;
    for (int round = 0; round < 30000; ++round) {
        std::string text = "{\"k\":";
        for (std::uint64_t i = random.below(7); i > 0; --i) {
            text += kPieces[random.below(std::size(kPieces))];
        }
        text += "}";
        std::vector<JsonValue> values;
        const bool parses = parse_json_object(text, values).what.empty();
        bool other_parses = false;
        try {
            other_parses = !Json::parse(text).is_discarded();
        } catch (const Json::parse_error&) {
        } catch (const Json::out_of_range&) {
            continue;  // A number that no double holds; the grammar allows it.
        }
        INFO(text);
        REQUIRE(parses == other_parses);
        accepted += parses ? 1 : 0;
    }
    CHECK(accepted > 200);
}

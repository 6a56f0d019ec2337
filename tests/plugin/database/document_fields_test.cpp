// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/document_fields.h"

#include "braid/tests/support/support.h"

using namespace braid;
using Fields = std::map<std::string, std::string>;

TEST_CASE("Document fields: from JSON, from Omega's lines, and none from other text") {
    CHECK(document_fields(R"({"title":"A \"b\"","n":3})") ==
          Fields{{"title", "A \"b\""}, {"n", "3"}});
    CHECK(document_fields("url=/a?b=c\nsample=Some text\n") ==
          Fields{{"url", "/a?b=c"}, {"sample", "Some text"}});
    CHECK(document_fields("a line\nof text").empty());
    CHECK(document_fields("x=1 is an equation\nin text").empty());
    CHECK(document_fields("{broken").empty());
    CHECK(document_fields("").empty());
}

TEST_CASE("Document fields: title and text are what a list of results shows") {
    CHECK(document_title({{"name", "n"}, {"title", "t"}}, "") == "t");
    CHECK(document_title({{"caption", "c"}}, "") == "c");
    CHECK(document_title({}, "first\nsecond") == "first");
    CHECK(document_title({{"other", "o"}}, "{...}").empty());
    CHECK(document_text({{"text", "x"}, {"title", "t"}}, "") == "x");
    CHECK(document_text({{"sample", "s"}}, "") == "s");
    CHECK(document_text({{"title", "t"}, {"a", "1"}, {"b", "2"}}, "") == "1\n2\n");
    CHECK(document_text({}, "all of it") == "all of it");
}

TEST_CASE("Document fields: lists within lists don't exhaust the stack") {
    const std::size_t depth = 2'000'000;
    const std::string data = "{\"title\":\"A\",\"deep\":" + std::string(depth, '[') +
                             std::string(depth, ']') + ",\"flat\":[1,[2]]}";
    const auto fields = document_fields(data);
    CHECK(fields.at("title") == "A");
    CHECK(fields.at("flat") == "[1,[2]]");
}

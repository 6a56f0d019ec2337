// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "braid/core/base/random.h"
#include "braid/indexer/documents/document_builder.h"
#include "braid/tests/indexer/documents/plain_loop.h"
#include "braid/tests/support/support.h"

using braid::DocumentDataWriter;
using braid::SourceDocument;
using braid::test::make_document;

namespace {

std::string data_of(const SourceDocument& source, const std::vector<std::string>& stored = {"*"}) {
    std::string data = "left over";
    DocumentDataWriter(stored).write(source, data);
    return data;
}

}  // namespace

TEST_CASE("Document data: fields in the source's order, repeated ones joined") {
    const SourceDocument source =
        make_document("x", {{"b", "1"}, {"a", "two"}, {"b", "3"}, {"c", ""}});
    CHECK(data_of(source) == R"({"b":"1\n3","a":"two","c":""})");
    CHECK(data_of(source, {"a", "c", "z"}) == R"({"a":"two","c":""})");
    CHECK(data_of(source, {}) == "{}");
    CHECK(data_of(make_document("x", {})) == "{}");
}

TEST_CASE("Document data: any text comes back from a JSON reader", "[property]") {
    braid::Random random(braid::test::seed());
    const std::vector<std::string> pieces = {"\"",
                                             "\\",
                                             "\n",
                                             "\t",
                                             "\r",
                                             "\x01",
                                             "\x1f",
                                             "\x7f",
                                             std::string(1, '\0'),
                                             "\xC3\xA9",
                                             "\xF0\x9F\x98\x80",
                                             "plain ",
                                             "/",
                                             "\\u0041",
                                             "\xE2\x80\xA8"};
    for (int round = 0; round < 500; ++round) {
        std::vector<std::pair<std::string, std::string>> fields;
        nlohmann::json expected = nlohmann::json::object();
        for (std::uint64_t i = random.below(4); i > 0; --i) {
            std::string name = "f" + std::to_string(i);
            std::string text;
            for (std::uint64_t j = random.below(12); j > 0; --j) {
                text += pieces[random.below(pieces.size())];
                name += random.below(9) == 0 ? pieces[random.below(pieces.size())] : "";
            }
            fields.emplace_back(name, text);
            expected[name] = text;
        }
        const std::string data = data_of(make_document("x", fields));
        CHECK(nlohmann::json::parse(data) == expected);
        CHECK(data.find('\n') == std::string::npos);  // one line
    }
}

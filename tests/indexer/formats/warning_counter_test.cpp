// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/indexer/formats/read_documents.h"

using braid::test::read_text;
using braid::test::ReadResult;
using braid::test::Texts;

TEST_CASE("Reader warnings: the first of a kind are passed on, the others counted") {
    std::string text;
    for (int i = 1; i <= 7; ++i) text += ".I " + std::to_string(i) + "\n.W\ncaf\xE9\n";
    // Behind what is looked at to tell that a file is binary.
    text += ".I 8\n.W\n" + std::string(20000, 'x') + '\0' + '\n';
    const ReadResult result = read_text(text, "smart");
    const std::string kind = "not UTF-8: the bytes that are not were read as windows-1252";
    Texts expected;
    for (const int line : {1, 4, 7, 10, 13}) {
        expected.push_back("input:" + std::to_string(line) + ": " + kind);
    }
    expected.push_back("input:22: NUL bytes in the text became spaces");
    expected.push_back("7 times in all: " + kind);
    CHECK(result.warnings == expected);
    CHECK(result.documents[6].text_of("text") == "caf\u00E9");
}

TEST_CASE("Reader warnings: a sink that throws ends the reading") {
    braid::ReaderOptions options;
    options.warn = [](const std::string& message) { throw braid::Error(message); };
    const auto reader = braid::open_documents(
        braid::Input::from_memory(".I 1\n.W\ncaf\xE9\n", "input"), "smart", options);
    braid::SourceDocument document;
    CHECK_THROWS_WITH(reader->next(document), Catch::Contains("input:1: not UTF-8"));
}

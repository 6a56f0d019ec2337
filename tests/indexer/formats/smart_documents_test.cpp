// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>

#include "braid/tests/indexer/formats/read_documents.h"

using namespace braid;
using namespace braid::test;

namespace {

std::size_t count_fields(const SourceDocument& document, std::string_view name) {
    return static_cast<std::size_t>(
        std::count_if(document.fields.begin(), document.fields.end(),
                      [&](const braid::SourceField& field) { return field.name == name; }));
}

std::size_t count_with(const ReadResult& result, std::string_view name, std::size_t least = 1) {
    return static_cast<std::size_t>(
        std::count_if(result.documents.begin(), result.documents.end(),
                      [&](const auto& one) { return count_fields(one, name) >= least; }));
}

// How many documents have the field so many times or more.
struct FieldCount {
    std::string field;
    std::size_t documents;
    std::size_t least = 1;
};

ReadResult read_collection(const std::filesystem::path& file, std::size_t documents,
                           const std::vector<FieldCount>& counts) {
    ReadResult result = read_paths({file}, "");
    CHECK(result.warnings.empty());
    REQUIRE(result.documents.size() == documents);
    for (const auto& [field, expected, least] : counts) {
        INFO(least << " or more times " << field);
        CHECK(count_with(result, field, least) == expected);
    }
    return result;
}

}  // namespace

TEST_CASE("SMART documents: every tag becomes a field") {
    CHECK(flat(read_text(".I 1\n.T\nA title\n.A\nOne\n.B\nJ.\n.W\nText\nof lines\n.K\nk\n.C\n1.2\n"
                         ".N\nn\n.X\n1\t5\t1\n.Q\nother\n.I 2\n.W\ntwo\n",
                         "smart")) ==
          Texts{"1|title=A title|author=One|source=J.|text=Text\nof lines|keywords=k|category=1.2|"
                "note=n|references=1\t5\t1|q=other",
                "2|text=two"});
}

TEST_CASE("SMART documents: tags repeat, may have blanks behind them, and may have no text") {
    CHECK(flat(read_text(".I 1\n.A \nOne\n.A\t\nTwo\n.W\nx\n.B\n.T\n \n.W\ny\n.I  x 2 \n",
                         "smart")) == Texts{"1|author=One|author=Two|text=x|text=y", "x 2"});
}

TEST_CASE("SMART documents: lines that only begin like a tag are text") {
    CHECK(flat(read_text(".I 1\n.W\n.NET is\n.5 inch\n.W x\n.\n. A\n .T\n.t\n", "smart")) ==
          Texts{"1|text=.NET is\n.5 inch\n.W x\n.\n. A\n .T\n.t"});
}

TEST_CASE("SMART documents: text before the first tag is text") {
    CHECK(flat(read_text("\n\n.I 7\nloose\n.T\nt\n", "smart")) == Texts{"7|text=loose|title=t"});
}

TEST_CASE("SMART documents: the place is the record's first line, and an id may be missing") {
    const ReadResult result = read_text("\n.I 1\n.W\nx\n.I\n.W\ny\n", "smart");
    CHECK(flat(result) == Texts{"1|text=x", "|text=y"});
    CHECK(result.documents[0].where.to_string() == "input:2");
    CHECK(result.documents[1].where.to_string() == "input:5");
}

TEST_CASE("SMART documents: CRLF and control characters go") {
    CHECK(flat(read_text(".I 1\r\n.W \r\na\x19"
                         "b\r\nc\fd\x7F\r\n",
                         "smart")) == Texts{"1|text=a b\nc d"});
}

TEST_CASE("SMART documents: a file that is none is refused at its first line with text") {
    CHECK_THROWS_WITH(
        read_text("\n \nHello, world\n", "smart"),
        Catch::Contains("input:3: not SMART: expected '.I <id>', found 'Hello, world'"));
}

TEST_CASE("SMART documents: a record over the limit is skipped, with its place") {
    ReaderOptions options;
    options.max_record = 100;
    const std::string lines =
        ".I 2\n.W\n" + std::string(60, 'x') + "\n" + std::string(60, 'x') + "\n";
    const ReadResult result = read_text(
        ".I 1\n.W\na\n" + lines + ".I 3\n.W\n" + std::string(200, 'y') + "\nz\n.I 4\n.W\nb\n",
        "smart", options);
    CHECK(flat(result) == Texts{"1|text=a", "4|text=b"});
    CHECK(result.warnings == Texts{"input:4: record skipped: longer than 100 bytes",
                                   "input:8: record skipped: longer than 100 bytes"});
}

TEST_CASE("SMART documents: MED", "[collections]") {
    const auto file = shared_file("data/med/MED.ALL.gz");
    BRAID_SKIP_WITHOUT(file);
    const ReadResult result = read_collection(*file, 1033, {{"text", 1033}, {"title", 0}});
    CHECK(result.documents.front().id == "1");
    CHECK(result.documents.back().id == "1033");
}

TEST_CASE("SMART documents: CRAN", "[collections]") {
    const auto file = shared_file("data/cran/cran.all.1400.gz");
    BRAID_SKIP_WITHOUT(file);
    const ReadResult result = read_collection(
        *file, 1400, {{"author", 1400 - 53}, {"source", 1400 - 70}, {"text", 2, 2}});
    for (std::size_t i = 0; i < 1400; ++i) {
        CHECK(result.documents[i].id == std::to_string(i + 1));
        CHECK(result.documents[i].fields.empty() == (i + 1 == 471 || i + 1 == 995));
    }
    CHECK(count_fields(result.documents[575], "text") == 2);
    CHECK(count_fields(result.documents[577], "text") == 2);
    CHECK(count_fields(result.documents[239], "author") == 2);
}

TEST_CASE("SMART documents: CISI", "[collections]") {
    const auto file = shared_file("data/cisi/CISI.ALL.gz");
    BRAID_SKIP_WITHOUT(file);
    const ReadResult result = read_collection(
        *file, 1460,
        {{"author", 109, 2}, {"author", 0, 6}, {"source", 24}, {"keywords", 1}, {"title", 1460}});
    CHECK(count_fields(result.documents[320], "keywords") == 1);
    CHECK(count_fields(result.documents[320], "category") == 1);
}

TEST_CASE("SMART documents: CACM", "[collections]") {
    const auto file = shared_file("data/cacm/cacm.all.gz");
    BRAID_SKIP_WITHOUT(file);
    const ReadResult result = read_collection(
        *file, 3204, {{"text", 3204 - 1617}, {"title", 3203}, {"author", 3204 - 84}});
    CHECK(count_fields(result.documents[3192], "title") == 0);
    std::set<std::string> ids;
    for (const SourceDocument& document : result.documents) {
        ids.insert(document.id);
        CHECK(flat(document).find('\x19') == std::string::npos);
    }
    CHECK(ids.size() == 3204);
}

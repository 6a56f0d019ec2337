// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/random.h"
#include "braid/tests/indexer/formats/read_documents.h"

using braid::ReaderOptions;
using braid::test::flat;
using braid::test::read_text;
using braid::test::ReadResult;
using braid::test::Texts;

TEST_CASE("CSV documents: columns are fields under their names") {
    CHECK(flat(read_text("id,Title,TEXT\n1,A title,Some text\n2,,x\n", "csv")) ==
          Texts{"1|title=A title|text=Some text", "2|text=x"});
}

TEST_CASE("CSV documents: quotes hold delimiters, quotes and line ends") {
    const ReadResult result = read_text(
        "id,text\r\n1,\"a, b\"\r\n\"2\",\"say \"\"yes\"\"\r\n\r\nthen\" \r\n3,\"\"\r\n4,5\" x\r\n",
        "csv");
    CHECK(flat(result) == Texts{"1|text=a, b", "2|text=say \"yes\"\n\nthen", "3", "4|text=5\" x"});
    CHECK(result.documents[2].where.to_string() == "input:6");
    CHECK(flat(read_text("\"my\nid\",\"a,b\"\n1,2\n", "csv")) == Texts{"|my id=1|a,b=2"});
}

TEST_CASE("CSV documents: the delimiter is found, or given") {
    CHECK(flat(read_text("id;a,b\n1;x\n", "csv")) == Texts{"|id;a=1;x"});
    CHECK(flat(read_text("id;a;b,c\n1;x;y\n", "csv")) == Texts{"1|a=x|b,c=y"});
    CHECK(flat(read_text("id|a|b\n1|x|y\n", "csv")) == Texts{"1|a=x|b=y"});
    CHECK(flat(read_text("id\ta,b,c\n1\tx\n", "csv")) == Texts{"1|a,b,c=x"});
    ReaderOptions options;
    options.delimiter = ':';
    CHECK(flat(read_text("id:a,b\n1:x\n", "csv", options)) == Texts{"1|a,b=x"});
    CHECK(flat(read_text("text\none\n\ntwo\n", "csv")) == Texts{"|text=one", "|text=two"});
}

TEST_CASE("CSV documents: tabs mean no quoting but around a whole value") {
    CHECK(flat(read_text("id\ttext\n1\t\"quoted, whole\"\n2\t\"He\" said\n3\tan \"inch\n"
                         "4\t\"two \"\"marks\"\"\"\n5\t\"odd \" mark\"\n6\t\"\n",
                         "tsv")) == Texts{"1|text=quoted, whole", "2|text=\"He\" said",
                                          "3|text=an \"inch", "4|text=two \"marks\"",
                                          "5|text=\"odd \" mark\"", "6|text=\""});
}

TEST_CASE("CSV documents: without a header line the names can be given") {
    const std::string rows = "0\tThe first, long, text\n1\tThe second\n";
    CHECK_THROWS_WITH(read_text(rows, "tsv"),
                      Catch::Contains("input:1: the first line looks like data: '0'"));
    CHECK_THROWS_WITH(read_text("a," + std::string(81, 'x') + "\n", "csv"),
                      Catch::Contains("looks like data"));
    ReaderOptions options;
    options.columns = {"id", "text"};
    for (const char* format : {"csv", "tsv"}) {
        CHECK(flat(read_text(rows, format, options)) ==
              Texts{"0|text=The first, long, text", "1|text=The second"});
    }
}

TEST_CASE("CSV documents: rows of another length are read as far as they go, with a warning") {
    const ReadResult result = read_text("id,a,b\n1,x\n2,x,y,z\n3,x,y\n", "csv");
    CHECK(flat(result) == Texts{"1|a=x", "2|a=x|b=y", "3|a=x|b=y"});
    CHECK(result.warnings == Texts{"input:2: fewer values than columns",
                                   "input:3: more values than columns: the others were left out"});
}

TEST_CASE("CSV documents: columns without a name are numbered, and names may repeat") {
    CHECK(flat(read_text(",id,tag,tag\nx,1,a,b\n", "csv")) == Texts{"1|column1=x|tag=a|tag=b"});
}

TEST_CASE("CSV documents: the id is a column of a usual name, or the one that is named") {
    ReaderOptions options;
    options.id_field = "Code";
    CHECK(flat(read_text("id,code\n1,x\n", "csv", options)) == Texts{"x|id=1"});
    CHECK(flat(read_text("code,docid\nx,1\n", "csv")) == Texts{"1|code=x"});
}

TEST_CASE("CSV documents: a quote that is never closed is an error at its row") {
    CHECK_THROWS_WITH(read_text("id,a\n1,x\n2,\"y\n3,z\n", "csv"),
                      "input:3: a value in quotes is never closed");
    ReaderOptions options;
    options.max_record = 30;
    CHECK_THROWS_WITH(read_text("id,a\n2,\"y\n" + std::string(29, 'x') + "\n3,z\n", "csv", options),
                      Catch::Contains("input:2: a value in quotes is longer than 30 bytes"));
    CHECK_THROWS_WITH(read_text("id,a\n2,\"y\n" + std::string(99, 'x') + "\n3,z\n", "csv", options),
                      Catch::Contains("input:2: a value in quotes is longer than 30 bytes"));
    const ReadResult result =
        read_text("id,a\n1," + std::string(99, 'x') + "\n2,y\n", "csv", options);
    CHECK(flat(result) == Texts{"2|a=y"});
    CHECK(result.warnings == Texts{"input:2: record skipped: longer than 30 bytes"});
}

TEST_CASE("CSV documents: what RFC 4180 writes is read back", "[property]") {
    braid::Random random(braid::test::seed());
    constexpr std::string_view kAlphabet = "ab,\"\n;";
    for (int round = 0; round < 2000; ++round) {
        std::string text = "id,a,b\r\n";
        Texts expected;
        for (std::uint64_t row = random.below(4); row > 0; --row) {
            std::string line = std::to_string(row);
            std::string document = line;
            for (const char* name : {"a", "b"}) {
                // Letters at the ends: blanks there are trimmed.
                std::string value = "x";
                for (std::uint64_t i = random.below(6); i > 0; --i) {
                    value += kAlphabet[random.below(kAlphabet.size())];
                }
                value += "y";
                document += std::string("|") + name + "=" + value;
                std::string quoted;
                for (const char c : value) quoted += c == '"' ? "\"\"" : std::string(1, c);
                line += ",\"" + quoted + "\"";
            }
            text += line + (random.below(2) == 0 ? "\r\n" : "\n");
            expected.push_back(document);
        }
        REQUIRE(flat(read_text(text, "csv")) == expected);
    }
}

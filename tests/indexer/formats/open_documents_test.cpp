// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "braid/tests/indexer/formats/read_documents.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

std::string guess(const std::string& head, const std::string& path = "input") {
    try {
        return guess_document_format(path, head).name;
    } catch (const braid::FormatError& error) {
        return error.what();
    }
}

// One small input of every format, with what is easily lost at a piece's end in it.
struct Sample {
    std::string format;
    std::string text;
};

std::vector<Sample> samples() {
    return {
        {"smart",
         "\xEF\xBB\xBF\r\n.I 1\r\n.T \r\nCaf\u00E9\r\n.W\r\na\xE9\r\n\r\nb\r\n.I 2\n.W\n.I 3"},
        {"trec",
         "<!-- x --><DOC>\n<DOCNO> 1 </DOCNO>\n<T a=\"b>\">x &amp; <P>y</T></DOC><DOC>\n"
         "<DOCNO>2\n<TEXT>\u20AC</DOC>\n"},
        {"jsonl", "{\"id\":\"1\",\"a\":{\"b\":[1,\"\\u20ac\\n\"]}}\n\n{\"id\":2,\"t\":\"\u20AC\"}"},
        {"csv", "id,a,b\r\n1,\"x \"\"y\"\"\r\nz\",\u20AC\r\n\"2\",,\r\n3,a,b"},
        {"tsv", "id\ta\n1\t\"x\"\n2\t\"y\n"},
        {"text", "\n Title \u20AC\r\n\r\ntext\n"},
        {"debian",
         "Package: a\nDescription-md5: 1\nDescription-en: s\n l\n .\n  m\n\n\n"
         "Package: b\nTag: x::y, x::{z,\n w}\nVersion: 1\n"},
    };
}

std::string everything(const ReadResult& result) {
    std::string all;
    for (const braid::SourceDocument& document : result.documents) {
        all += document.where.to_string() + ' ' + flat(document) + '\n';
    }
    for (const std::string& warning : result.warnings) all += warning + '\n';
    return all;
}

}  // namespace

TEST_CASE("Documents: every format gives the same in pieces of any size", "[property]") {
    for (const Sample& sample : samples()) {
        INFO(sample.format);
        const std::string whole = everything(read_text(sample.text, sample.format));
        for (std::size_t piece = 1; piece <= sample.text.size(); ++piece) {
            REQUIRE(everything(read_text(sample.text, sample.format, {}, piece)) == whole);
        }
    }
}

TEST_CASE("Documents: every format survives its input cut at any byte", "[property]") {
    for (const Sample& sample : samples()) {
        INFO(sample.format);
        for (std::size_t size = 0; size <= sample.text.size(); ++size) {
            try {
                const ReadResult result = read_text(sample.text.substr(0, size), sample.format);
                CHECK(result.documents.size() <= 3);
            } catch (const braid::FormatError& error) {
                CHECK_THAT(error.what(), Catch::StartsWith("input"));
            }
        }
    }
}

TEST_CASE("Documents: there is a sample of every format, and guessing knows it") {
    Texts names;
    for (const Sample& sample : samples()) {
        names.push_back(sample.format);
        if (sample.format != "text" && sample.format != "tsv") {
            const std::string head = sample.text.substr(sample.text.starts_with("\xEF") ? 3 : 0);
            CHECK(guess(head, "a." + sample.format) == sample.format);
        }
    }
    CHECK(names == braid::document_formats().names());
}

TEST_CASE("Format guessing: by the first bytes before the name") {
    CHECK(guess(".I 1\n.W\nx\n", "a.csv") == "smart");
    CHECK(guess("a,b\n1,2\n3,4\n", "a.dat") == "csv");
    CHECK(guess("a\tb\n1\t2\n3\t4\n", "a.dat") == "tsv");
    CHECK(guess("a b,c d\n", "a.CSV.gz") == "csv");
    CHECK(guess("a b\tc d\n", "a.tsv") == "tsv");
    CHECK(guess("Some words.\n", "a.txt") == "text");
    CHECK(guess("Some words.\n", "README.md.gz") == "text");
    CHECK(guess("{\"a\": \"" + std::string(9000, 'x'), "a") == "jsonl");
    CHECK(guess("<doc id=\"1\" title=\"x\">\n", "a") == "trec");
    CHECK(guess("Package: a\nVersion: 1\n", "a") == "debian");
    CHECK(guess("# c\nPackage: a\nDescription-de: 1\n b\n", "a") == "debian");
}

TEST_CASE("Format guessing: what is not certain is not guessed") {
    const std::string unknown =
        "input: can't tell its format; give one of: smart, trec, jsonl, csv, tsv, text, debian";
    for (const char* head :
         {"Some words.\n", "Dear John, hello\nand so, on\nand so, forth\n", "a,b\n1\n2,3,4\n",
          ".It is\n", ".I\n", "{\n  \"a\": 1\n}\n", "[{\"a\": 1}]\n",
          "<add><doc><field name=\"id\">\n", "<html>\n", "1\t2\n", "Package: the thing\nthat one\n",
          "Subject: x\nVersion: 1\n\n", "1 Q0 d1 1 0.5 run\n1 Q0 d2 2 0.4 run\n1 Q0 d3 3 0.3 run\n",
          "1 0 d1 1\n1 0 d2 0\n1 0 d3 1\n", "one,two,3 words\n4,5,6\n7,8,9\n"}) {
        INFO(head);
        CHECK(guess(head) == unknown);
    }
    CHECK_THAT(guess(""), Catch::Contains("input: is empty"));
    CHECK_THAT(guess("a,b\n1,2\n3,4\n", "a.txt"), Catch::Contains("may be one of: csv, text"));
}

TEST_CASE("Documents: an unknown format lists those there are") {
    CHECK_THROWS_WITH(read_text("", "smrt"), Catch::Contains("did you mean 'smart'") &&
                                                 Catch::Contains("trec, jsonl, csv"));
}

TEST_CASE("Documents: several inputs are read in turn, each in its own format") {
    const TemporaryFolder folder;
    write_file(folder / "a", ".I 1\n.W\nx\n");
    write_file(folder / "b.jsonl", "{\"id\":\"2\"}\n");
    write_file(folder / "c", "");
    CHECK(flat(read_paths({folder / "a", folder / "b.jsonl"}, "")) == Texts{"1|text=x", "2"});
    const ReadResult result = read_paths({folder / "c", folder / "a", folder / "c"}, "smart");
    CHECK(flat(result) == Texts{"1|text=x"});
    const std::string warning = (folder / "c").string() + ": no documents found";
    CHECK(result.warnings == Texts{warning, warning});
}

TEST_CASE("Documents: what is missing or can't be told is known before the first document") {
    const TemporaryFolder folder;
    write_file(folder / "a", ".I 1\n.W\nx\n");
    write_file(folder / "words", "Some words.\n");
    const ReaderOptions options;
    using Paths = std::vector<std::string>;
    CHECK_THROWS_WITH(
        braid::open_documents(Paths{folder / "a", folder / "absent"}, "smart", options),
        Catch::Contains("absent: can't open: No such file"));
    CHECK_THROWS_WITH(braid::open_documents(Paths{folder / "a", folder / "words"}, "", options),
                      Catch::Contains("words: can't tell its format"));
}

TEST_CASE("Documents: binary input is refused in every format") {
    for (const Sample& sample : samples()) {
        CHECK_THROWS_WITH(read_text(std::string("ab\0c", 4), sample.format),
                          Catch::Contains("input: is binary (byte 3 is NUL)"));
    }
}

TEST_CASE("Documents: a pipe is guessed and read without losing its first bytes") {
    const TemporaryFolder folder;
    const std::string path = folder / "pipe";
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] { write_file(path, ".I 1\n.W\nx\n"); });
    const ReadResult result = read_paths({path}, "");
    writer.join();
    CHECK(flat(result) == Texts{"1|text=x"});
}

TEST_CASE("Documents: a truncated gzip gives its documents, then an error") {
    const auto file = braid::test::shared_file("data/med/MED.ALL.gz");
    BRAID_SKIP_WITHOUT(file);
    const TemporaryFolder folder;
    const std::string whole = braid::test::read_file(*file);
    write_file(folder / "cut.gz", whole.substr(0, whole.size() / 2));
    const auto reader = braid::open_documents(folder / "cut.gz", "", {});
    braid::SourceDocument document;
    std::size_t count = 0;
    const auto read_on = [&] {
        while (reader->next(document)) ++count;
    };
    CHECK_THROWS_WITH(read_on(), Catch::Contains("cut.gz: can't read on: truncated gzip"));
    CHECK(count > 400);
}

TEST_CASE("Documents: the bytes read end at the sizes of the files") {
    const TemporaryFolder folder;
    write_file(folder / "a", ".I 1\n.W\nx\n");
    write_file(folder / "b", ".I 2\n.W\nyy\n");
    const auto reader =
        braid::open_documents(std::vector<std::string>{folder / "a", folder / "b"}, "smart", {});
    braid::SourceDocument document;
    CHECK(reader->bytes_read() == 0);
    while (reader->next(document)) CHECK(reader->bytes_read() > 0);
    CHECK(reader->bytes_read() == 10 + 11);
}

TEST_CASE("Documents: a line of 100 MB is skipped", "[.slow]") {
    ReaderOptions options;
    options.max_record = std::size_t{1} << 20;
    const std::string line = repeated("x", 100'000'000);
    for (const auto& [format, before, after] :
         {std::tuple{"smart", ".I 1\n.W\n", "\n.I 2\n.W\ny\n"},
          std::tuple{"trec", "<DOC>\n", "\n</DOC><DOC><DOCNO>2</DOCNO>\n<TEXT>y</TEXT></DOC>"},
          std::tuple{"jsonl", "{\"text\":\"", "\"}\n{\"id\":\"2\",\"text\":\"y\"}\n"},
          std::tuple{"csv", "id,text\n", "\n2,y\n"},
          std::tuple{"debian", "Package: a\nText: ", "\n\nPackage: 2\nText: y\n"}}) {
        INFO(format);
        const ReadResult result = read_text(before + line + after, format, options);
        CHECK(result.documents.size() == 1);
        CHECK(result.documents[0].id == "2");
        CHECK(result.documents[0].text_of("text") == "y");
        REQUIRE(result.warnings.size() == 1);
        CHECK_THAT(result.warnings[0], Catch::Contains("record skipped: longer than 1048576"));
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/input.h"

#include <zlib.h>

#include "braid/tests/support/support.h"

using braid::Input;
using braid::LineReader;
using braid::test::TemporaryFolder;
using braid::test::write_file;

namespace {

void write_gzip(const std::string& path, const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) ==
            static_cast<int>(text.size()));
    REQUIRE(gzclose(file) == Z_OK);
}

std::vector<std::string> lines_of(const std::string& path,
                                  std::size_t max_line = LineReader::kDefaultMaxLine) {
    LineReader reader(path, max_line);
    std::vector<std::string> lines;
    std::string_view line;
    while (reader.next(line)) {
        lines.emplace_back(line);
        CHECK(reader.line_number() == lines.size());
    }
    return lines;
}

}  // namespace

TEST_CASE("Input: lines lose their ends, and the last may have none") {
    const TemporaryFolder folder;
    const std::string path = folder.file("lines", "one\r\n\ntwo\nthree");
    CHECK(lines_of(path) == std::vector<std::string>{"one", "", "two", "three"});
    write_file(path, "");
    CHECK(lines_of(path).empty());
    write_file(path, "\n");
    CHECK(lines_of(path) == std::vector<std::string>{""});
}

TEST_CASE("Input: lines longer than the first buffer come whole, and gzip is unpacked") {
    const TemporaryFolder folder;
    const std::string path = folder / "lines.gz";
    const std::string large(3'000'000, 'x');
    write_gzip(path, "a\n" + large + "\nb\n");
    CHECK(lines_of(path) == std::vector<std::string>{"a", large, "b"});
    CHECK(braid::read_whole(path) == "a\n" + large + "\nb\n");
    CHECK(braid::read_head(path, 5) == "a\nxxx");
}

TEST_CASE("Input: gzip of several members is read to its end") {
    const TemporaryFolder folder;
    write_gzip(folder / "a", "one\n");
    write_gzip(folder / "b", "two\n");
    const std::string both =
        braid::test::read_file(folder / "a") + braid::test::read_file(folder / "b");
    write_file(folder / "both", both);
    CHECK(lines_of(folder / "both") == std::vector<std::string>{"one", "two"});
}

TEST_CASE("Input: a line over the limit is cut and the next line is whole") {
    const TemporaryFolder folder;
    const std::string path =
        folder.file("lines", std::string(1'000'000, 'x') + "\nnext\n" + std::string(11, 'y'));
    CHECK(lines_of(path, 10) ==
          std::vector<std::string>{std::string(10, 'x'), "next", std::string(10, 'y')});
    LineReader reader(path, 10);
    std::string_view line;
    reader.next(line);
    CHECK(reader.was_cut());
    reader.next(line);
    CHECK_FALSE(reader.was_cut());
}

TEST_CASE("Input: what can't be read is a format error that names the file") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(lines_of(folder / "absent"), Catch::Contains("absent: can't open: No such"));
    CHECK_THROWS_WITH(lines_of(folder.path().string()), Catch::Contains("Is a directory"));
    const std::string path = folder / "cut.gz";
    std::string text;
    for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + '\n';
    write_gzip(path, text);
    const std::string whole = braid::test::read_file(path);
    for (const std::size_t size : {std::size_t{15}, whole.size() / 2, whole.size() - 1}) {
        write_file(path, whole.substr(0, size));
        CHECK_THROWS_WITH(lines_of(path), Catch::Contains("truncated gzip"));
    }
    std::string damaged = whole;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    write_file(path, damaged);
    CHECK_THROWS_AS(lines_of(path), braid::FormatError);
}

TEST_CASE("Input: text in memory reads the same in pieces of any size") {
    const std::string text = "one\r\ntwo\n\nthree";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, SIZE_MAX}) {
        LineReader reader(Input::from_memory(text, "name", piece));
        std::vector<std::string> lines;
        std::string_view line;
        while (reader.next(line)) lines.emplace_back(line);
        CHECK(lines == std::vector<std::string>{"one", "two", "", "three"});
        CHECK(reader.where().to_string() == "name:4");
        CHECK(reader.bytes_read() == text.size());
    }
}

TEST_CASE("Input: what was peeked at is still read") {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{4}, SIZE_MAX}) {
        Input input = Input::from_memory("0123456789abcdef", "name", piece);
        CHECK(input.peek(4) == "0123");
        LineReader reader(std::move(input));
        std::string_view line;
        REQUIRE(reader.next(line));
        CHECK(line == "0123456789abcdef");
    }
    CHECK(Input::from_memory("ab", "name").peek(100) == "ab");
    CHECK(Input::from_memory("", "name").peek(100).empty());
}

TEST_CASE("Input: a byte order mark is dropped at the start and nowhere else") {
    const TemporaryFolder folder;
    const std::string mark = "\xEF\xBB\xBF";
    write_file(folder / "marked", mark + "one\n" + mark + "two\n");
    CHECK(lines_of(folder / "marked") == std::vector<std::string>{"one", mark + "two"});
    CHECK(braid::read_head(folder / "marked", 3) == "one");
    CHECK(braid::read_whole(folder / "marked") == "one\n" + mark + "two\n");
    write_file(folder / "marked", mark);
    CHECK(lines_of(folder / "marked").empty());
}

TEST_CASE("Input: other encodings and compressions are named, with a way out") {
    using namespace std::string_literals;
    const auto first_line = [](const std::string& text) {
        LineReader reader(Input::from_memory(text, "name", 1));
        std::string_view line;
        reader.next(line);
        return std::string(line);
    };
    CHECK_THROWS_WITH(first_line("\xFF\xFEH\0i\0"s),
                      Catch::Contains("name: is UTF-16") && Catch::Contains("iconv -f UTF-16"));
    CHECK_THROWS_WITH(first_line("\xFE\xFF\0H"s), Catch::Contains("UTF-16"));
    CHECK_THROWS_WITH(first_line("\xFD\x37zXZ\0"s), Catch::Contains("xz -dc"));
    CHECK_THROWS_WITH(first_line("\x04\x22\x4D\x18"), Catch::Contains("lz4 -dc"));
    CHECK_THROWS_WITH(first_line("\x28\xB5\x2F\xFD"), Catch::Contains("zstd -dc"));
    CHECK_THROWS_WITH(first_line("BZh91AY&SY"), Catch::Contains("bzip2 -dc"));
    CHECK_THROWS_WITH(first_line("PK\x03\x04"), Catch::Contains("zip archive"));
    for (const char* text : {"BZhang wrote", "BZh9", "BZh", "PK", "\xFF"}) {
        CHECK(first_line(text) == text);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Every reader of lines refuses one that is too long, by file and line, before it takes memory.
#include <ctime>
#include <functional>

#include <zlib.h>

#include "braid/core/base/random.h"
#include "braid/indexer/formats/click_reader.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/indexer/formats/runs.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr std::size_t kLine = 40;

struct LineFormat {
    std::string name;
    std::string line;  ///< Shorter than kLine.
    std::function<void(Input, std::size_t)> read;
};

template <typename Options>
Options limited(std::size_t most) {
    Options options;
    options.max_line = most;
    return options;
}

const std::vector<LineFormat>& line_formats() {
    static const std::vector<LineFormat> formats = {
        {"queries", "1\tsome words of a query",
         [](Input input, std::size_t most) {
             QueryOptions options = limited<QueryOptions>(most);
             options.ids = QueryOptions::Ids::kSequence;
             read_queries(std::move(input), options);
         }},
        {"judgements", "1 0 document 1",
         [](Input input, std::size_t most) {
             read_judgements(std::move(input), limited<JudgementOptions>(most));
         }},
        {"runs", "1 Q0 document 1 2.5 name",
         [](Input input, std::size_t most) {
             read_run(std::move(input), limited<RunOptions>(most));
         }},
        {"clicks", "1 Q0 document 0.5",
         [](Input input, std::size_t most) {
             read_clicks(std::move(input), limited<ClickOptions>(most));
         }},
        {"letor", "1 qid:1 1:0.5 2:0.25",
         [](Input input, std::size_t most) {
             read_letor(std::move(input), limited<LetorOptions>(most));
         }},
        {"vectors", "[0.5, 0.25, 3]",
         [](Input input, std::size_t most) { read_vectors(std::move(input), {.max_line = most}); }},
        {"ids", "name",
         [](Input input, std::size_t most) { read_vector_ids(std::move(input), most); }}};
    return formats;
}

std::string problem(const LineFormat& format, const std::string& text) {
    return error_of<FormatError>([&] { format.read(Input::from_memory(text, "file", 7), kLine); });
}

std::string padded(const std::string& line, std::size_t size) {
    return line + std::string(size - line.size(), ' ');
}

}  // namespace

TEST_CASE("Line limit: every reader names the file, the line and the limit") {
    for (const LineFormat& format : line_formats()) {
        INFO(format.name);
        CHECK(problem(format, format.line + "\n") == "");
        CHECK(problem(format, padded(format.line, kLine) + "\n") == "");
        CHECK(problem(format, padded(format.line, kLine)) == "");
        const std::string long_line = padded(format.line, kLine + 1);
        const std::string said = "found a line longer than 40 bytes, which is the limit 'line'";
        CHECK_THAT(problem(format, long_line + "\n"), Contains("file:1: " + said));
        CHECK_THAT(problem(format, long_line), Contains("file:1: " + said));
        CHECK_THAT(problem(format, "\n\n" + long_line + "\nx"),
                   format.name == "ids" ? Contains("file:1: ") : Contains("file:3: " + said));
    }
}

TEST_CASE("Line limit: a whole text is refused just where a line is too long [property]") {
    Random random(test::seed(), 1);
    for (int round = 0; round < 3000; ++round) {
        const std::size_t most = 1 + random.below(8);
        std::string text;
        std::size_t longest_line = 0;
        std::size_t line = 1;
        std::size_t length = 0;
        const std::uint64_t size = random.below(60);
        for (std::uint64_t i = 0; i < size; ++i) {
            const bool ends = random.below(most + 1) == 0;
            text += ends ? '\n' : 'x';
            length = ends ? 0 : length + 1;
            if (length > most && longest_line == 0) longest_line = line;
            if (ends) ++line;
        }
        std::string expected = text;
        if (longest_line > 0) {
            expected = "t:" + std::to_string(longest_line) + ": found a line longer than " +
                       std::to_string(most) + " bytes, which is the limit 'line'";
        }
        std::string found;
        try {
            found = read_whole(Input::from_memory(text, "t", 1 + random.below(9)), 0, most);
        } catch (const FormatError& error) {
            found = error.what();
        }
        CHECK(found == expected);
    }
}

// 600 MB of one line in .6 MB of gzip took 109 s and 2.2 GB.
TEST_CASE("Line limit: a small gzip of one huge line is refused at once") {
    const test::TemporaryFolder folder;
    const std::string path = folder / "bomb.gz";
    const std::string member(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 600; ++i) {
        gzFile file = gzopen(path.c_str(), i == 0 ? "wb1" : "ab1");
        REQUIRE(gzwrite(file, member.data(), static_cast<unsigned>(member.size())) ==
                static_cast<int>(member.size()));
        REQUIRE(gzclose(file) == Z_OK);
    }
    for (const LineFormat& format : line_formats()) {
        INFO(format.name);
        const std::clock_t start = std::clock();
        CHECK_THROWS_WITH(format.read(Input(path), LineReader::kDefaultMaxLine),
                          Contains("bomb.gz:1: found a line longer than"));
        CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 2);
    }
}

TEST_CASE("Line limit: vectors of more components than allowed are refused") {
    const VectorOptions options{.max_dimensions = 2};
    CHECK(read_vectors(Input::from_memory("[1, 2]\n", "v"), options).dimensions == 2);
    CHECK_THROWS_WITH(read_vectors(Input::from_memory("[1, 2, 3]\n", "v"), options),
                      Contains("v:1: ") && Contains("the limit 'dimensions'"));
}

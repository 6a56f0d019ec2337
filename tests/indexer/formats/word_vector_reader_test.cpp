// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/word_vector_reader.h"

#include <cmath>
#include <map>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

struct Read {
    WordVectorFile file;
    std::vector<std::string> words;
    std::vector<std::vector<float>> vectors;
};

Read read(const std::string& text, const VectorOptions& options = {}) {
    Read result;
    result.file = read_word_vectors(
        Input::from_memory(text, "words.txt", 7), options,
        [&](std::string_view word, std::size_t place, std::span<const float> vector) {
            result.words.emplace_back(word);
            result.vectors.emplace_back(vector.begin(), vector.end());
            CHECK(place == result.words.size());
        });
    return result;
}

std::string problem(const std::string& text, const VectorOptions& options = {}) {
    return error_of([&] { read(text, options); });
}

}  // namespace

TEST_CASE("Word vector files: GloVe, word2vec and fastText") {
    const std::vector<std::vector<float>> expected = {{0.5F, -1}, {1e-3F, 2}};
    const Read glove = read("the 0.5 -1\nof 1e-3 2\n");
    CHECK(glove.words == std::vector<std::string>{"the", "of"});
    CHECK(glove.vectors == expected);
    CHECK(glove.file.dimensions == 2);
    CHECK(glove.file.words == 2);
    const Read word2vec = read("2 2\nthe 0.5 -1 \nof 1e-3 2 \n");  // It ends lines in blanks.
    CHECK(word2vec.words == glove.words);
    CHECK(word2vec.vectors == expected);
    CHECK(word2vec.file.checksum == glove.file.checksum);
    CHECK(read("the 0.5 -1\r\n\r\nof 1e-3 2").vectors == expected);
    CHECK(read("the 0.5 -1\nof 1e-3 2.5").file.checksum != glove.file.checksum);
    // A word may have blanks, or be a number.
    CHECK(read("the 1 2\n. . . 3 4\n7 5 6\n").words ==
          std::vector<std::string>{"the", ". . .", "7"});
    CHECK(read("1 3\nword 1 2 3\n").file.dimensions == 3);
}

TEST_CASE("Word vector files: what is none is refused with its line") {
    CHECK_THAT(problem(""), Contains("words.txt") && Contains("has no words' vectors"));
    CHECK_THAT(problem("2 2\n"), Contains("has no words' vectors"));
    CHECK_THAT(problem("word\n"), Contains("words.txt:1") && Contains("found one column"));
    CHECK_THAT(problem("a 1 2\nb 1\n"),
               Contains("words.txt:2") && Contains("expected a word and 2 numbers"));
    CHECK_THAT(problem("a 1 2\nb 1 x\n"), Contains("words.txt:2") && Contains("found 'x'"));
    CHECK_THAT(problem("a 1 2\nb nan 1\n"), Contains("a number that a float can hold"));
    CHECK_THAT(problem("a 1 2\nb inf 1\n"), Contains("a number that a float can hold"));
    CHECK_THAT(problem("a 1 2\nb 1e39 1\n"), Contains("a number that a float can hold"));
    CHECK_THAT(problem("3 2\na 1 2\nb 3 4\n"),
               Contains("has 2 words' vectors, its first line says 3: it may be cut off"));
    CHECK_THAT(problem("1 2\na 1 2\nb 3 4\n"), Contains("its first line says 1"));
    CHECK_THAT(problem("0 2\n"), Contains("announces no words or no numbers"));
    CHECK_THAT(problem("a 1 2 3\n", {.max_dimensions = 2}),
               Contains("found 3 numbers to a word, the limit 'dimensions' is 2"));
    CHECK_THAT(problem("9 999999999\na 1\n"), Contains("the limit 'dimensions'"));
    CHECK_THAT(problem("a 1 2\nb " + std::string(100, '1') + " 2\n", {.max_line = 50}),
               Contains("words.txt:2"));
    CHECK_THROWS_AS(read_word_vectors(Input::from_memory(std::string(3, 'a') + " 1\n", "x"), {},
                                      [](std::string_view, std::size_t, std::span<const float>) {
                                          throw Cancelled("stopped");
                                      }),
                    Cancelled);
}

TEST_CASE("Word vector files: every truncation and junk is read or refused, never crashes",
          "[property]") {
    const std::string whole = "3 2\nthe 0.5 -1\nof 1e-3 2\nand 3 4\n";
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        INFO(size);
        // Only the last digits of the last number can be missing unseen.
        CHECK(problem(whole.substr(0, size)).empty() == (size >= whole.size() - 1));
    }
    Random random(seed());
    const std::string letters = "ab1 2.-e\n\t\r+\xc3\xa9";
    for (int round = 0; round < 3000; ++round) {
        std::string text = random.below(2) == 0 ? whole : "";
        for (std::size_t i = random.below(40); i > 0; --i) {
            const char c = letters[random.below(letters.size())];
            text.insert(text.begin() + static_cast<std::ptrdiff_t>(random.below(text.size() + 1)),
                        c);
        }
        try {
            const Read result = read(text);
            for (const auto& vector : result.vectors) {
                REQUIRE(vector.size() == result.file.dimensions);
                for (const float x : vector) REQUIRE(std::isfinite(x));
            }
        } catch (const FormatError&) {
        }
    }
}

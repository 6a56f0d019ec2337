// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/vector_reader.h"

#include <cstring>
#include <limits>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

SourceVectors read(const std::string& text, std::size_t piece = SIZE_MAX) {
    return read_vectors(Input::from_memory(text, "input", piece));
}

std::string problem(const std::string& text) {
    return error_of<FormatError>([&] { read(text); });
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
    std::string bytes(numbers.size() * sizeof(Number), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

// As NumPy pads it: the data begin at a multiple of 64.
std::string npy(std::string header, const std::string& data, unsigned version = 1) {
    const std::size_t start = version == 1 ? 10 : 12;
    header.append(63 - (start + header.size()) % 64, ' ');
    header += '\n';
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    for (std::size_t i = 0; i < start - 8; ++i) {
        text += static_cast<char>(header.size() >> (8 * i) & 0xff);
    }
    return text + header + data;
}

std::string header(const std::string& type, const std::string& shape,
                   const std::string& fortran = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

}  // namespace

TEST_CASE("Vectors: .npy of floats and doubles, all versions, in pieces") {
    const std::vector<float> floats = {1, -2.5F, 3, 0, 0.125F, 6};
    const std::vector<double> doubles(floats.begin(), floats.end());
    for (const unsigned version : {1U, 2U, 3U}) {
        const std::string four = npy(header("<f4", "(2, 3)"), bytes_of(floats), version);
        const std::string eight = npy(header("<f8", "(2, 3)"), bytes_of(doubles), version);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, SIZE_MAX}) {
            CHECK(read(four, piece) == SourceVectors{3, {}, floats});
            CHECK(read(eight, piece) == SourceVectors{3, {}, floats});
        }
    }
    const SourceVectors one = read(npy(header("<f4", "(6,)"), bytes_of(floats)));
    CHECK(one.size() == 1);
    CHECK(one.dimensions == 6);
    CHECK(read(npy(header("<f4", "(6,)", "True"), bytes_of(floats))) == one);
}

TEST_CASE("Vectors: what is no such .npy says why") {
    const std::string data = bytes_of(std::vector<float>{1, 2, 3, 4});
    CHECK(problem(npy(header("<f4", "(2, 2)"), data)).empty());
    CHECK_THAT(problem(npy(header(">f4", "(2, 2)"), data)), Contains(">f4"));
    CHECK_THAT(problem(npy(header("<i4", "(2, 2)"), data)), Contains("astype"));
    CHECK_THAT(problem(npy(header("<f4", "(2, 2)", "True"), data)), Contains("Fortran"));
    CHECK_THAT(problem(npy(header("<f4", "(2, 1, 2)"), data)), Contains("3 dimensions"));
    CHECK_THAT(problem(npy(header("<f4", "()"), data)), Contains("0 dimensions"));
    CHECK_THAT(problem(npy(header("<f4", "(0, 2)"), "")), Contains("no vectors"));
    CHECK_THAT(problem(npy(header("<f4", "(2, 0)"), "")), Contains("components"));
    CHECK_THAT(problem(npy(header("<f4", "(2, 2)"), data + "x")), Contains("goes on"));
    CHECK_THAT(problem(npy(header("<f4", "(3, 2)"), data)), Contains("ends before"));
    CHECK_THAT(problem(npy(header("<f4", "(9999999999999999999, 2)"), data)), Contains("no file"));
    CHECK_THAT(problem(npy(header("<f4", "(2, 2)"), data, 4)), Contains("version 4"));
    CHECK_THAT(problem(npy("{'descr': '<f4', 'shape': (2, 2)}", data)), Contains("not all"));
    CHECK_THAT(problem(npy("{'kind': '<f4'}", data)), Contains("kind"));
    const std::vector<float> infinite = {1, 2, 3, std::numeric_limits<float>::infinity()};
    CHECK_THAT(problem(npy(header("<f4", "(2, 2)"), bytes_of(infinite))), Contains("row 1"));
    CHECK_THAT(problem(npy(header("<f8", "(1,)"), bytes_of(std::vector<double>{1e300}))),
               Contains("not finite"));
    const std::string good = npy(header("<f4", "(2, 2)"), data);
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK_FALSE(problem(good.substr(0, size)).empty());
    }
}

TEST_CASE("Vectors: JSON lines with ids or without") {
    const SourceVectors named = read(
        "{\"id\": \"a\", \"vector\": [1, -2.5e0]}\n\n"
        "{\"text\": \"more\", \"Embedding\": [0.5, 4], \"_id\": 7, \"id\": \"x\"}\r\n");
    CHECK(named == SourceVectors{2, {"a", "7"}, {1, -2.5F, 0.5F, 4}});
    CHECK(read("[1, 2]\n[3, 4]") == SourceVectors{2, {}, {1, 2, 3, 4}});
}

TEST_CASE("Vectors: what is wrong in JSON lines is said with its line") {
    CHECK_THAT(problem(""), Contains("no vectors"));
    CHECK_THAT(problem("word\n"), Contains("input:1") && Contains("array"));
    CHECK_THAT(problem("[1]\n[1, 2]\n"), Contains("input:2") && Contains("2 components"));
    CHECK_THAT(problem("[1]\n{\"vector\": []}\n"), Contains("input:2"));
    CHECK_THAT(problem("{\"id\": 1}\n"), Contains("no array"));
    CHECK_THAT(problem("[\"a\"]\n"), Contains("component 0") && Contains("'a'"));
    CHECK_THAT(problem("[1e39]\n"), Contains("1e39"));
    CHECK_THAT(problem("{\"vector\": [true]}\n"), Contains("true"));
    CHECK_THAT(problem("{\"id\": 1, \"vector\": [1]}\n[2]\n"), Contains("input:2: some"));
    CHECK_THAT(problem("[2]\n{\"id\": 1, \"vector\": [1]}\n"), Contains("input:2: some"));
    CHECK_THAT(problem("{\"id\": 1, \"vector\": [1]}\n{\"id\": 1, \"vector\": [2]}"),
               Contains("second time"));
}

TEST_CASE("Vectors: names, one a line") {
    const auto names = [](const std::string& text) {
        return read_vector_ids(Input::from_memory(text, "ids"));
    };
    CHECK(names(" a \nb c\r\n") == std::vector<std::string>{"a", "b c"});
    CHECK_THROWS_WITH(names("a\n\nb\n"), Contains("ids:2"));
    CHECK_THROWS_WITH(names("a\nb\na\n"), Contains("ids:3") && Contains("second time"));
}

TEST_CASE("Vectors: bytes that changed are read or refused, nothing else", "[property]") {
    braid::Random random(braid::test::seed());
    const std::string good = npy(header("<f4", "(2, 2)"), bytes_of(std::vector<float>{1, 2, 3, 4}));
    const std::string lines = "{\"id\": \"a\", \"vector\": [1, 2]}\n";
    for (int i = 0; i < 20000; ++i) {
        std::string changed = i % 2 == 0 ? good : lines;
        for (std::uint64_t n = random.below(4); n > 0; --n) {
            changed[random.below(changed.size())] = static_cast<char>(random.bits());
        }
        try {
            const SourceVectors vectors = read(changed);
            REQUIRE(vectors.values.size() == vectors.size() * vectors.dimensions);
            REQUIRE(vectors.size() > 0);
        } catch (const FormatError&) {
        }
    }
}

TEST_CASE("Vectors: a written file reads back") {
    const std::vector<float> values = {1, -2.5, 0, 3e-20F, 5, 6};
    for (const std::size_t dimensions : {1, 2, 3, 6}) {
        const std::string text = npy_text(values, dimensions);
        CHECK(text.find('\n') % 64 == 63);
        const SourceVectors read_back = read(text);
        CHECK(read_back.dimensions == dimensions);
        CHECK(read_back.values == values);
    }
    CHECK_THROWS_WITH(npy_text(values, 4), Contains("no rows of 4"));
    CHECK_THROWS_AS(npy_text(values, 0), InvalidArgument);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/vector_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "braid/indexer/formats/json_documents.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {
namespace {

// NumPy writes about 100 bytes.
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;

[[noreturn]] void fail(const Input& input, const std::string& what) {
    throw FormatError({input.path(), 0}, what);
}

// Bytes read; fewer than wanted at the end of the input only.
std::size_t read_up_to(Input& input, char* buffer, std::size_t wanted) {
    std::size_t done = 0;
    while (done < wanted) {
        const std::size_t got = input.read(buffer + done, wanted - done);
        if (got == 0) break;
        done += got;
    }
    return done;
}

std::uint64_t little_endian(const char* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

struct Header {
    std::string type;
    bool fortran = false;
    std::vector<std::uint64_t> shape;
};

// The Python dictionary that describes the array, such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
  public:
    HeaderParser(std::string_view text, const Input& input) : rest_(text), input_(input) {}

    Header parse() {
        Header header;
        unsigned seen = 0;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted_text();
            expect(':');
            if (key == "descr") {
                header.type = quoted_text();
                seen |= 1U;
            } else if (key == "fortran_order") {
                header.fortran = boolean();
                seen |= 2U;
            } else if (key == "shape") {
                header.shape = tuple();
                seen |= 4U;
            } else {
                broken("the key " + in_quotes(key));
            }
            if (!accept(',') && peek() != '}') broken("no comma");
        }
        if (peek() != '\0') broken("text behind it");
        if (seen != 7) broken("not all of descr, fortran_order and shape");
        return header;
    }

  private:
    [[noreturn]] void broken(const std::string& found) const {
        fail(input_, "its header has " + found +
                         ", expected NumPy's description of an array: descr, fortran_order, shape");
    }

    char peek() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_[0];
    }
    bool accept(char wanted) {
        if (peek() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) broken(std::string("no '") + wanted + "'");
    }
    bool accept_word(std::string_view word) {
        peek();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    std::string quoted_text() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') broken("something without quotes");
        const std::size_t end = rest_.find(quote, 1);
        if (end == std::string_view::npos) broken("an open quote");
        std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool boolean() {
        if (accept_word("True")) return true;
        if (!accept_word("False")) broken("no True or False");
        return false;
    }

    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> numbers;
        expect('(');
        while (!accept(')')) {
            peek();
            std::uint64_t number = 0;
            const char* const end = rest_.data() + rest_.size();
            const auto [behind, error] = std::from_chars(rest_.data(), end, number);
            if (error != std::errc()) broken("a shape that is no list of sizes");
            rest_.remove_prefix(static_cast<std::size_t>(behind - rest_.data()));
            numbers.push_back(number);
            if (!accept(',') && peek() != ')') broken("no comma");
        }
        return numbers;
    }

    std::string_view rest_;
    const Input& input_;
};

Header read_npy_header(Input& input) {
    std::array<char, 12> start{};
    if (read_up_to(input, start.data(), 8) < 8 ||
        std::string_view(start.data(), kNpyMagic.size()) != kNpyMagic) {
        fail(input, "is no .npy file");
    }
    const unsigned major = static_cast<unsigned char>(start[6]);
    if (major < 1 || major > 3) {
        fail(input, fmt::format("is a .npy file of version {}, expected 1 to 3", major));
    }
    const std::size_t size_bytes = major == 1 ? 2 : 4;
    if (read_up_to(input, start.data() + 8, size_bytes) < size_bytes) {
        fail(input, "ends within its header");
    }
    const std::uint64_t size = little_endian(start.data() + 8, size_bytes);
    if (size > kMaxHeader) {
        fail(input,
             fmt::format("its header takes {} bytes, expected at most {}", size, kMaxHeader));
    }
    std::string text(size, '\0');
    if (read_up_to(input, text.data(), size) < size) fail(input, "ends within its header");
    return HeaderParser(text, input).parse();
}

struct Shape {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
};

// An array of one dimension is a single vector.
Shape shape_of(const Header& header, const Input& input, std::size_t max_dimensions) {
    if (header.type != "<f4" && header.type != "<f8") {
        fail(input, fmt::format("holds {}, expected '<f4' or '<f8': convert it with "
                                "array.astype('<f4')",
                                in_quotes(header.type)));
    }
    if (header.fortran && header.shape.size() > 1) {
        fail(input, "is in Fortran order, expected C order: use numpy.ascontiguousarray");
    }
    if (header.shape.empty() || header.shape.size() > 2) {
        fail(input, fmt::format("has {} dimensions, expected 1 (one vector) or 2 (rows of vectors)",
                                header.shape.size()));
    }
    const bool one = header.shape.size() == 1;
    const Shape shape{one ? 1 : header.shape[0], header.shape.back()};
    if (shape.columns == 0 || shape.columns > max_dimensions) {
        fail(input, fmt::format("its vectors have {} components, expected 1 to {}, which is the "
                                "limit 'dimensions'",
                                shape.columns, max_dimensions));
    }
    if (shape.rows == 0) fail(input, "has no vectors");
    if (shape.rows > std::numeric_limits<std::uint64_t>::max() / shape.columns / 8) {
        fail(input, fmt::format("has {} rows, which no file can hold", shape.rows));
    }
    return shape;
}

float component(const char* bytes, std::size_t width) {
    const std::uint64_t bits = little_endian(bytes, width);
    if (width == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const double value = std::bit_cast<double>(bits);
    if (std::abs(value) > std::numeric_limits<float>::max()) {
        return std::numeric_limits<float>::infinity();
    }
    return static_cast<float>(value);
}

}  // namespace

SourceVectors read_npy(Input input, std::size_t max_dimensions) {
    const Header header = read_npy_header(input);
    const Shape shape = shape_of(header, input, max_dimensions);
    const std::size_t width = header.type == "<f8" ? 8 : 4;
    SourceVectors vectors;
    vectors.dimensions = shape.columns;
    std::uint64_t left = shape.rows * shape.columns;
    // Reads in pieces: a header may announce more than fits in memory.
    std::string buffer(kReadAtOnce, '\0');
    while (left > 0) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, kReadAtOnce / width)) * width;
        if (read_up_to(input, buffer.data(), wanted) < wanted) {
            fail(input, fmt::format("ends before its {} vectors of {} components do", shape.rows,
                                    shape.columns));
        }
        for (std::size_t at = 0; at < wanted; at += width) {
            const float value = component(buffer.data() + at, width);
            if (!std::isfinite(value)) {
                fail(input, fmt::format("row {} (from 0) has a component that is not finite",
                                        vectors.values.size() / shape.columns));
            }
            vectors.values.push_back(value);
        }
        left -= wanted / width;
    }
    if (input.read(buffer.data(), 1) > 0) {
        fail(input, fmt::format("goes on after its {} vectors", shape.rows));
    }
    return vectors;
}

namespace {

/// JSON lines, one vector each.
class JsonVectors {
  public:
    JsonVectors(Input input, const VectorOptions& options)
        : lines_(std::move(input), options.max_line), options_(options) {}

    SourceVectors read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (lines_.was_cut()) refuse_long_line(lines_.where(), options_.max_line);
            line = trimmed(line);
            if (!line.empty()) add(line);
        }
        if (vectors_.size() == 0) {
            throw FormatError({lines_.where().file, 0},
                              "has no vectors, expected a .npy file or JSON lines");
        }
        return std::move(vectors_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw FormatError(lines_.where(), what);
    }

    void add(std::string_view line) {
        values_.clear();
        const bool bare = line[0] == '[';
        const JsonProblem problem =
            bare ? parse_json_object(fmt::format("{{\"vector\":{}}}", line), values_)
                 : parse_json_object(line, values_);
        if (!problem.what.empty()) {
            fail(
                fmt::format("column {}: {}; expected a .npy file, or one JSON object or array a "
                            "line",
                            problem.column, problem.what));
        }
        std::vector<std::string_view> names;
        for (JsonValue& value : values_) {
            value.path = lower_cased(value.path);
            names.push_back(value.path);
        }
        add_vector();
        const std::size_t id = find_id_field(names, "");
        add_id(id < values_.size() ? std::string(trimmed(values_[id].text)) : "");
    }

    void add_vector() {
        std::size_t count = 0;
        for (const JsonValue& value : values_) {
            if (value.path != "vector" && value.path != "embedding") continue;
            const std::optional<double> number = parse_number(value.text);
            if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max())) {
                fail(fmt::format("component {} is {}, expected a number that a float can hold",
                                 count, in_quotes(value.text)));
            }
            if (++count > options_.max_dimensions) break;
            vectors_.values.push_back(static_cast<float>(*number));
        }
        if (count == 0) fail("no array \"vector\" or \"embedding\"");
        if (count > options_.max_dimensions) {
            fail(fmt::format("found more than {} components, which is the limit 'dimensions'",
                             options_.max_dimensions));
        }
        if (vectors_.dimensions == 0) vectors_.dimensions = count;
        if (vectors_.dimensions != count) {
            fail(fmt::format("{} components, expected {} as in the first vector", count,
                             vectors_.dimensions));
        }
    }

    void add_id(const std::string& id) {
        const std::size_t before = vectors_.size() - 1;
        if (id.empty() ? !vectors_.ids.empty() : vectors_.ids.size() != before) {
            fail("some vectors have an id and others have none");
        }
        if (id.empty()) return;
        if (!known_.insert(id).second) fail("the id " + in_quotes(id) + " comes a second time");
        vectors_.ids.push_back(id);
    }

    LineReader lines_;
    VectorOptions options_;
    SourceVectors vectors_;
    std::vector<JsonValue> values_;
    std::unordered_set<std::string> known_;
};

}  // namespace

SourceVectors read_vectors(const std::string& path, const VectorOptions& options) {
    return read_vectors(Input(path), options);
}

SourceVectors read_vectors(Input input, const VectorOptions& options) {
    if (input.peek(kNpyMagic.size()) == kNpyMagic) {
        return read_npy(std::move(input), options.max_dimensions);
    }
    return JsonVectors(std::move(input), options).read();
}

std::vector<std::string> read_vector_ids(const std::string& path, std::size_t max_line) {
    return read_vector_ids(Input(path), max_line);
}

std::vector<std::string> read_vector_ids(Input input, std::size_t max_line) {
    LineReader lines(std::move(input), max_line);
    std::vector<std::string> ids;
    std::unordered_set<std::string> known;
    std::string_view line;
    while (lines.next(line)) {
        if (lines.was_cut()) refuse_long_line(lines.where(), max_line);
        std::string id(trimmed(line));
        if (id.empty()) throw FormatError(lines.where(), "found no name, expected one a line");
        if (!known.insert(id).second) {
            throw FormatError(lines.where(), "the name " + in_quotes(id) + " comes a second time");
        }
        ids.push_back(std::move(id));
    }
    return ids;
}

std::string npy_text(std::span<const float> values, std::size_t dimensions) {
    if (dimensions == 0 || values.size() % dimensions != 0) {
        throw InvalidArgument(
            fmt::format("npy_text: {} numbers are no rows of {}", values.size(), dimensions));
    }
    // Version 1.0: magic, version, the header's length, and a header that ends at a multiple of 64.
    std::string header =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                    values.size() / dimensions, dimensions);
    header.append(63 - (kNpyMagic.size() + 4 + header.size()) % 64, ' ');
    header += '\n';
    std::string text(kNpyMagic);
    text += {'\1', '\0', static_cast<char>(header.size() & 0xff),
             static_cast<char>(header.size() >> 8)};
    text += header;
    const std::size_t begin = text.size();
    text.resize(begin + 4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(values[i]);
        for (int byte = 0; byte < 4; ++byte) {
            text[begin + 4 * i + static_cast<std::size_t>(byte)] =
                static_cast<char>(bits >> (8 * byte) & 0xff);
        }
    }
    return text;
}

}  // namespace braid

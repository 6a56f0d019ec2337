// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/vector_reader.h"

#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "braid/indexer/formats/field_ids.h"
#include "braid/indexer/formats/json_object.h"
#include "braid/indexer/formats/npy_vectors.h"
#include "braid/indexer/formats/scan.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
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
                                 count, quoted(value.text)));
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
        if (!known_.insert(id).second) fail("the id " + quoted(id) + " comes a second time");
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
            throw FormatError(lines.where(), "the name " + quoted(id) + " comes a second time");
        }
        ids.push_back(std::move(id));
    }
    return ids;
}

}  // namespace braid

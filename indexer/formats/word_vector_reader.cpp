// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/word_vector_reader.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/checksum.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

// Removes the last run of non-blanks from `rest`; "" if there is none.
std::string_view take_last_word(std::string_view& rest) {
    rest = trim(rest);
    std::size_t begin = rest.size();
    while (begin > 0 && !is_blank(rest[begin - 1])) --begin;
    const std::string_view word = rest.substr(begin);
    rest = rest.substr(0, begin);
    return word;
}

std::optional<std::size_t> whole_number(std::string_view text) {
    std::size_t value = 0;
    if (text.empty() || text.size() > 12) return std::nullopt;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = 10 * value + static_cast<std::size_t>(c - '0');
    }
    return value;
}

class WordVectorReader {
  public:
    WordVectorReader(Input input, const VectorOptions& options, const WordVectorTaker& take)
        : lines_(std::move(input), options.max_line), options_(options), take_(take) {}

    WordVectorFile read(const Progress& progress) {
        std::string_view line;
        bool is_first = true;
        while (lines_.next(line)) {
            if (lines_.was_cut()) refuse_long_line(lines_.where(), options_.max_line);
            if (trim(line).empty()) continue;
            if (is_first && read_header(line)) {
                is_first = false;
                continue;
            }
            if (file_.dimensions == 0) set_dimensions(line);
            is_first = false;
            add(line);
            if (file_.words % 10'000 == 0 && progress &&
                !progress({"reading words' vectors", file_.words, announced_, "words", {}})) {
                throw Cancelled("stopped: nothing was written");
            }
        }
        if (file_.words == 0) {
            fail_file("has no words' vectors, expected a word and its numbers on each line");
        }
        if (announced_ > 0 && file_.words != announced_) {
            fail_file(
                fmt::format("has {} words' vectors, its first line says {}: it may be cut off",
                            file_.words, announced_));
        }
        file_.checksum = checksum_.value();
        return file_;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw FormatError(lines_.where(), what);
    }
    [[noreturn]] void fail_file(const std::string& what) const {
        throw FormatError({lines_.where().file, 0}, what);
    }

    // How many words of how many numbers follow.
    bool read_header(std::string_view line) {
        const std::optional<std::size_t> words = whole_number(take_word(line));
        const std::optional<std::size_t> dimensions = whole_number(take_word(line));
        if (!words || !dimensions || !trim(line).empty()) return false;
        if (*words == 0 || *dimensions == 0) {
            fail("the first line announces no words or no numbers");
        }
        announced_ = *words;
        use_dimensions(*dimensions);
        return true;
    }

    void set_dimensions(std::string_view line) {
        take_word(line);
        std::size_t count = 0;
        while (!take_word(line).empty()) ++count;
        if (count == 0) {
            fail("found one column, expected a word and its numbers between blanks");
        }
        use_dimensions(count);
    }

    void use_dimensions(std::size_t count) {
        if (count > options_.max_dimensions) {
            fail(fmt::format("found {} numbers to a word, the limit 'dimensions' is {}", count,
                             options_.max_dimensions));
        }
        file_.dimensions = count;
        vector_.resize(count);
    }

    // From behind: a word may have blanks.
    void add(std::string_view line) {
        std::string_view rest = line;
        for (std::size_t k = file_.dimensions; k-- > 0;) {
            const std::string_view text = take_last_word(rest);
            const std::optional<double> number = parse_number(text);
            if (!number || text.empty() || trim(rest).empty()) {
                fail(fmt::format("found {}, expected a word and {} numbers",
                                 text.empty() ? "too few columns" : in_quotes(text),
                                 file_.dimensions));
            }
            if (!(std::abs(*number) <= std::numeric_limits<float>::max())) {
                fail(fmt::format("found {}, expected a number that a float can hold",
                                 in_quotes(text)));
            }
            vector_[k] = static_cast<float>(*number);
        }
        const std::string_view word = trim(rest);
        checksum_.add(trim(line));
        take_(word, ++file_.words, vector_);
    }

    LineReader lines_;
    const VectorOptions& options_;
    const WordVectorTaker& take_;
    WordVectorFile file_;
    std::size_t announced_ = 0;
    std::vector<float> vector_;
    Fnv1a checksum_;
};

}  // namespace

WordVectorFile read_word_vectors(const std::string& path, const VectorOptions& options,
                                 const WordVectorTaker& take, const Progress& progress) {
    return read_word_vectors(Input(path), options, take, progress);
}

WordVectorFile read_word_vectors(Input input, const VectorOptions& options,
                                 const WordVectorTaker& take, const Progress& progress) {
    return WordVectorReader(std::move(input), options, take).read(progress);
}

}  // namespace braid

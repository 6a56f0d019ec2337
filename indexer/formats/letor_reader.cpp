// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/letor_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/text.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"
#include "braid/read.h"

namespace braid {
namespace {

constexpr const char* kExample = ", as in '2 qid:10 1:0.5 2:NULL # docid = D7'";
constexpr std::size_t kRowsPerReport = 4096;

// Brings rows of a query together: queries in order of first appearance, rows in the file's order.
void gather_rows(LetorData& data, const std::vector<std::uint32_t>& query_of_row) {
    const std::size_t rows = data.rows();
    std::vector<std::size_t> next(data.query_offsets.begin(), data.query_offsets.end() - 1);
    data.places.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) data.places[next[query_of_row[r]]++] = r;

    LetorData gathered;
    gathered.values.reserve(data.values.size());
    for (const std::size_t place : data.places) {
        const auto row = data.row(place);
        gathered.values.insert(gathered.values.end(), row.begin(), row.end());
        gathered.labels.push_back(data.labels[place]);
        gathered.documents.push_back(std::move(data.documents[place]));
    }
    data.values = std::move(gathered.values);
    data.labels = std::move(gathered.labels);
    data.documents = std::move(gathered.documents);
}

class LetorParser {
  public:
    // `stored_bytes` is the size of the file, 0 where that is not known.
    LetorParser(Input input, std::uint64_t stored_bytes, const LetorOptions& options)
        : path_(input.path()),
          options_(options),
          lines_(std::move(input), options.max_line),
          stored_bytes_(stored_bytes),
          warnings_(options.warn) {}

    LetorData read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (lines_.was_cut()) refuse_long_line(where(), options_.max_line);
            const std::size_t mark = std::min(line.find('#'), line.size());
            const std::string_view row = trim(line.substr(0, mark));
            const std::string_view comment = line.substr(mark);
            if (!row.empty()) {
                read_row(row, comment);
            } else if (is_names_line(comment, options_.first_feature)) {
                read_names(comment);
            }
        }
        if (data_.rows() == 0) {
            throw FormatError({path_, 0},
                              "there are no rows, expected lines" + std::string(kExample));
        }
        return finish();
    }

  private:
    void read_names(std::string_view comment) {
        std::vector<std::string> names;
        try {
            names = letor_names(comment, options_.first_feature);
        } catch (const InvalidArgument& error) {
            fail(error.what());
        }
        if (names.size() < options_.features || names.size() > options_.most_features) {
            fail("found names of " + counted(names.size(), "feature") + ", expected " +
                 std::to_string(options_.features) + " to " +
                 std::to_string(options_.most_features));
        }
        const bool first = data_.rows() == 0 && data_.feature_names.empty();
        if (!first && names != data_.feature_names) {
            fail(
                "the features are named here, but not as above; expected names before the first "
                "row, and the same ones wherever they are repeated");
        }
        data_.feature_names = std::move(names);
    }

    void read_row(std::string_view row, std::string_view comment) {
        if (data_.rows() % kRowsPerReport == 0) between_rows(row);
        std::string_view rest = row;
        data_.labels.push_back(read_label(take_word(rest)));
        const std::string_view query = take_word(rest);
        if (!query.starts_with("qid:") || query.size() == 4) {
            fail("found " + in_quotes(query) + " after the label, expected the query" + kExample);
        }
        add_query(query.substr(4));
        matrix_.begin_row();
        const char* place = rest.data();
        const char* const end = place + rest.size();
        for (;;) {
            while (place != end && is_blank(*place)) ++place;
            if (place == end) break;
            place = read_feature(place, end);
        }
        data_.documents.push_back(letor_document(comment));
    }

    // What is done before the first row and after every few thousand.
    void between_rows(std::string_view row) {
        const std::uint64_t bytes = lines_.bytes_read();
        if (options_.progress &&
            !options_.progress({"reading", bytes, stored_bytes_, "bytes", path_})) {
            throw Cancelled(path_ + ": reading was given up at row " +
                            std::to_string(data_.rows() + 1));
        }
        if (data_.rows() == 0) {
            const auto colons = static_cast<std::size_t>(std::count(row.begin(), row.end(), ':'));
            const std::size_t features = std::min(colons, options_.most_features);
            matrix_.expect_columns(std::max(options_.features, features == 0 ? 0 : features - 1));
        } else if (stored_bytes_ > 0 && bytes > 0 && matrix_.spare_rows() < kRowsPerReport) {
            // As many rows as the file seems to have, so that a large matrix is moved once or
            // twice only and has little room to spare in the end.
            const double share = static_cast<double>(stored_bytes_) / static_cast<double>(bytes);
            const double rows = std::max(1.02 * share, 1.1) * static_cast<double>(data_.rows());
            matrix_.reserve_rows(static_cast<std::size_t>(rows) + kRowsPerReport);
        }
    }

    int read_label(std::string_view word) const {
        int label = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), label);
        if (error == std::errc() && end == word.data() + word.size()) return label;
        const auto number = parse_number(word);
        if (!number)
            fail("found " + in_quotes(word) + " as the label, expected a number" + kExample);
        if (*number != std::floor(*number) ||
            !(std::abs(*number) <= std::numeric_limits<int>::max())) {
            fail("label " + in_quotes(word) + " is no whole number, expected a grade" + kExample);
        }
        return static_cast<int>(*number);
    }

    void add_query(std::string_view id) {
        if (!query_of_row_.empty() && data_.queries[query_of_row_.back()] == id) {
            query_of_row_.push_back(query_of_row_.back());
            return;
        }
        const auto next = static_cast<std::uint32_t>(data_.queries.size());
        const auto [place, is_new] = query_numbers_.emplace(std::string(id), next);
        if (is_new) {
            data_.queries.emplace_back(id);
        } else {
            scattered_ = true;
            warnings_.warn(where(), "a query goes on after others; its rows were brought together",
                           "query " + in_quotes(id));
        }
        query_of_row_.push_back(place->second);
    }

    // Reads "number:value" at `place` and returns where it ends.
    const char* read_feature(const char* place, const char* end) {
        const char* const start = place;
        std::size_t number = 0;
        for (; place != end && *place >= '0' && *place <= '9'; ++place) {
            number = std::min<std::size_t>(10 * number + static_cast<std::size_t>(*place - '0'),
                                           std::numeric_limits<std::uint32_t>::max());
        }
        if (place == start || place == end || *place != ':') refuse_feature(start, end);
        ++place;
        double value = 0;
        const char* after = scan_decimal(place, end, value);
        if (after == nullptr || (after != end && !is_blank(*after))) {
            after = std::find_if(place, end, is_blank);
            value = read_value({place, static_cast<std::size_t>(after - place)}, start, end);
        }
        if (number < options_.first_feature || number - options_.first_feature >= most_features()) {
            refuse_number(number, start, end);
        }
        if (!matrix_.set(number - options_.first_feature, value)) {
            fail("feature " + std::to_string(number) + " is there twice, expected it once" +
                 kExample);
        }
        return after;
    }

    double read_value(std::string_view word, const char* start, const char* end) {
        constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
        const auto number = word == "NULL" ? kMissing : parse_number(word);
        if (!number || std::isinf(*number)) refuse_feature(start, end);
        if (!std::isnan(*number)) return *number;
        ++data_.missing;
        return kMissing;
    }

    std::size_t most_features() const {
        return data_.feature_names.empty() ? options_.most_features : data_.feature_names.size();
    }

    [[noreturn]] void refuse_number(std::size_t number, const char* start, const char* end) const {
        std::string_view rest(start, static_cast<std::size_t>(end - start));
        std::string message = "found " + in_quotes(take_word(rest)) + ", expected ";
        if (number < options_.first_feature) {
            message += "features to count from " + std::to_string(options_.first_feature);
        } else if (!data_.feature_names.empty()) {
            message += "only the " + std::to_string(data_.feature_names.size()) + " named above";
        } else {
            message += "at most " + std::to_string(options_.most_features) + " features";
        }
        fail(message + kExample);
    }

    [[noreturn]] void refuse_feature(const char* start, const char* end) const {
        std::string_view rest(start, static_cast<std::size_t>(end - start));
        fail("found " + in_quotes(take_word(rest)) +
             ", expected a feature's number, a colon and a finite value or NULL" + kExample);
    }

    LetorData finish() {
        data_.features =
            std::max({matrix_.columns(), options_.features, data_.feature_names.size()});
        data_.values = matrix_.take(data_.features);
        data_.query_offsets.assign(data_.queries.size() + 1, 0);
        for (const std::uint32_t query : query_of_row_) ++data_.query_offsets[query + 1];
        for (std::size_t q = 0; q < data_.queries.size(); ++q) {
            data_.query_offsets[q + 1] += data_.query_offsets[q];
        }
        if (scattered_) gather_rows(data_, query_of_row_);
        warnings_.report_totals();
        return std::move(data_);
    }

    SourceLocation where() const { return lines_.where(); }
    [[noreturn]] void fail(const std::string& message) const {
        throw FormatError(where(), message);
    }

    const std::string path_;
    const LetorOptions& options_;
    LineReader lines_;
    std::uint64_t stored_bytes_;
    LetorMatrix matrix_;
    LetorData data_;
    std::vector<std::uint32_t> query_of_row_;
    std::unordered_map<std::string, std::uint32_t> query_numbers_;
    bool scattered_ = false;
    WarningCounter warnings_;
};

}  // namespace

LetorData read_letor(const std::string& path, const LetorOptions& options) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    return LetorParser(Input(path), unknown ? 0 : size, options).read();
}

LetorData read_letor(Input input, const LetorOptions& options) {
    return LetorParser(std::move(input), 0, options).read();
}

namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

// The column of feature "17" of a file without names; kAbsent for one beyond its last.
std::size_t numbered_column(const LetorData& data, const std::string& name,
                            const std::string& file) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number == 0) {
        throw FormatError(
            fmt::format("{}: has features without names, expected {} in a line \"# 1:NAME 2:NAME\"",
                        file, shown(name)));
    }
    return number <= data.features ? number - 1 : kAbsent;
}

std::size_t column_of(const LetorData& data, const std::string& name, const std::string& file) {
    const std::vector<std::string>& names = data.feature_names;
    if (names.empty()) return numbered_column(data, name, file);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw FormatError(fmt::format("{}: has no feature {}, only {}", file, shown(name),
                                      fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - names.begin());
}

// All but rankers and scores.
TrainingSet pools_of(const LetorData& data) {
    TrainingSet set;
    set.queries = data.queries;
    set.query_begin = data.query_offsets;
    set.grades = data.labels;
    const bool all_named = std::none_of(data.documents.begin(), data.documents.end(),
                                        [](const std::string& name) { return name.empty(); });
    if (all_named) set.documents = data.documents;
    return set;
}

}  // namespace

std::vector<std::string> feature_names(const LetorData& data) {
    if (!data.feature_names.empty()) return data.feature_names;
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= data.features; ++i) names.push_back(std::to_string(i));
    return names;
}

TrainingSet training_set(const LetorData& data) {
    TrainingSet set = pools_of(data);
    set.rankers = feature_names(data);
    set.scores = data.values;
    return set;
}

TrainingSet training_set(const LetorData& data, std::span<const std::string> rankers,
                         const std::string& file) {
    TrainingSet set = pools_of(data);
    set.rankers.assign(rankers.begin(), rankers.end());
    std::vector<std::size_t> columns;
    for (const std::string& ranker : rankers) columns.push_back(column_of(data, ranker, file));
    set.scores.reserve(data.rows() * columns.size());
    for (std::size_t i = 0; i < data.rows(); ++i) {
        const std::span<const double> row = data.row(i);
        for (const std::size_t column : columns) {
            set.scores.push_back(column == kAbsent ? 0 : row[column]);
        }
    }
    return set;
}

TrainingSet read_training_set(const std::string& path, const WarningSink& warn) {
    LetorOptions options;
    options.warn = warn;
    return training_set(read_letor(path, options));
}

}  // namespace braid

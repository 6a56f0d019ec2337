// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/letor_training.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"

namespace braid {
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

}  // namespace braid

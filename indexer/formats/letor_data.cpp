// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/letor_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

// Moves rows of `from` values each to where rows of `to` values begin, in place, within `values`
// that are large enough for both. New places are not cleared.
void restride(std::vector<double>& values, std::size_t rows, std::size_t from, std::size_t to) {
    const auto at = [&values](std::size_t i) {
        return values.begin() + static_cast<std::ptrdiff_t>(i);
    };
    if (to < from) {
        for (std::size_t r = 1; r < rows; ++r) {
            std::copy(at(r * from), at(r * from + to), at(r * to));
        }
    } else {
        for (std::size_t r = rows; r-- > 1;) {
            std::copy_backward(at(r * from), at((r + 1) * from), at(r * to + from));
        }
    }
}

}  // namespace

void LetorMatrix::expect_columns(std::size_t columns) {
    if (columns > stride_) {
        // Widening to the exact number: doubling is for rows that surprise.
        const std::size_t old = stride_;
        stride_ = columns;
        row_of_last_value_.resize(stride_, 0);
        values_.resize(rows_ * stride_);
        restride(values_, rows_, old, stride_);
        for (std::size_t r = 0; r < rows_; ++r) {
            const auto row = values_.begin() + static_cast<std::ptrdiff_t>(r * stride_);
            std::fill(row + static_cast<std::ptrdiff_t>(old),
                      row + static_cast<std::ptrdiff_t>(stride_), 0.0);
        }
    }
}

std::size_t LetorMatrix::spare_rows() const {
    return stride_ == 0 ? 0 : (values_.capacity() - values_.size()) / stride_;
}

void LetorMatrix::begin_row() {
    ++rows_;
    values_.resize(rows_ * stride_);
}

void LetorMatrix::widen(std::size_t columns) { expect_columns(std::max(columns, 2 * stride_)); }

std::vector<double> LetorMatrix::take(std::size_t columns) {
    expect_columns(columns);
    if (columns < stride_) {
        restride(values_, rows_, stride_, columns);
        values_.resize(rows_ * columns);
    }
    stride_ = columns_ = rows_ = 0;
    row_of_last_value_.clear();
    return std::exchange(values_, {});
}

namespace {

void skip_blanks(std::string_view& text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

// `text` begins with a quote. Without a closing one the quote is a part of the name.
std::string read_name(std::string_view text) {
    if (!text.starts_with('"')) return std::string(take_word(text));
    std::string name;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] != '"') {
            name += text[i];
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
            name += text[i++];
        } else {
            return name;
        }
    }
    return std::string(take_word(text));
}

struct NumberedName {
    std::size_t number = 0;
    std::string_view name;
};

std::optional<NumberedName> numbered_name(std::string_view word) {
    NumberedName result;
    const char* const end = word.data() + word.size();
    const auto [colon, error] = std::from_chars(word.data(), end, result.number);
    if (error != std::errc() || colon == end || *colon != ':') return std::nullopt;
    result.name = {colon + 1, static_cast<std::size_t>(end - colon - 1)};
    return result;
}

std::string_view after_mark(std::string_view comment) {
    while (comment.starts_with('#')) comment.remove_prefix(1);
    return comment;
}

}  // namespace

std::string letor_document(std::string_view comment) {
    constexpr std::string_view kKey = "docid";
    for (std::size_t at = comment.find(kKey); at != std::string_view::npos;
         at = comment.find(kKey, at + 1)) {
        if (at > 0 && comment[at - 1] != '#' && !is_blank(comment[at - 1])) continue;
        std::string_view rest = comment.substr(at + kKey.size());
        skip_blanks(rest);
        if (!rest.starts_with('=')) continue;
        rest.remove_prefix(1);
        skip_blanks(rest);
        return read_name(rest);
    }
    return "";
}

bool is_names_line(std::string_view comment, std::size_t first_feature) {
    std::string_view rest = after_mark(comment);
    const auto first = numbered_name(take_word(rest));
    return first && first->number == first_feature;
}

std::vector<std::string> letor_names(std::string_view comment, std::size_t first_feature) {
    std::vector<std::string> names;
    std::string_view rest = after_mark(comment);
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const auto next = numbered_name(word);
        const std::size_t number = first_feature + names.size();
        if (!next || next->number != number) {
            throw InvalidArgument("found " + in_quotes(word) +
                                  " among the features' names, expected " + std::to_string(number) +
                                  " and its name, as in '# 1:bm25 2:lsa'");
        }
        names.emplace_back(next->name);
    }
    check_feature_names(names);
    return names;
}

void check_feature_names(const std::vector<std::string>& names) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names) {
        const bool broken =
            std::any_of(name.begin(), name.end(), [](char c) { return is_blank(c) || c == '\n'; });
        if (name.empty() || broken) {
            throw InvalidArgument("feature name " + in_quotes(name) + " " +
                                  (broken ? "has a blank" : "is empty") +
                                  "; names stand in one line, as in '# 1:bm25 2:lsa'");
        }
        if (!seen.insert(name).second) {
            throw InvalidArgument("two features are named " + in_quotes(name));
        }
    }
}

namespace {

void check_row(std::string_view query, std::span<const double> values, std::string_view document) {
    const bool broken =
        std::any_of(query.begin(), query.end(), [](char c) { return is_blank(c) || c == '#'; });
    if (query.empty() || broken || has_control(query)) {
        throw InvalidArgument("query name " + in_quotes(query) +
                              " can't stand in a LETOR row, expected one word without #");
    }
    if (has_control(document)) {
        throw InvalidArgument("document name " + in_quotes(document) +
                              " has a control character, which a LETOR row can't hold");
    }
    const auto infinite =
        std::find_if(values.begin(), values.end(), [](double value) { return std::isinf(value); });
    if (infinite != values.end()) {
        throw InvalidArgument(
            fmt::format("feature {} of document {} is infinite, which a LETOR row "
                        "can't hold",
                        infinite - values.begin() + 1, in_quotes(document)));
    }
}

void append_document(std::string& out, std::string_view document) {
    out += " # docid = ";
    const bool plain =
        !document.starts_with('"') && std::none_of(document.begin(), document.end(), is_blank);
    if (plain) {
        out += document;
        return;
    }
    out += '"';
    for (const char c : document) {
        out += c;
        if (c == '"') out += c;
    }
    out += '"';
}

}  // namespace

std::string letor_names_line(const std::vector<std::string>& feature_names) {
    check_feature_names(feature_names);
    std::string line = "#";
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
        line += ' ' + std::to_string(i + 1) + ':' + feature_names[i];
    }
    return line + '\n';
}

void append_letor_row(std::string& out, int label, std::string_view query,
                      std::span<const double> values, std::string_view document) {
    check_row(query, values, document);
    fmt::format_to(std::back_inserter(out), "{} qid:{}", label, query);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            fmt::format_to(std::back_inserter(out), " {}:NULL", i + 1);
        } else {
            fmt::format_to(std::back_inserter(out), " {}:{}", i + 1, values[i]);
        }
    }
    if (!document.empty()) append_document(out, document);
    out += '\n';
}

std::string letor_text(const LetorData& data) {
    std::string out;
    if (!data.feature_names.empty()) out = letor_names_line(data.feature_names);
    for (std::size_t q = 0; q < data.queries.size(); ++q) {
        for (std::size_t r = data.query_offsets[q]; r < data.query_offsets[q + 1]; ++r) {
            append_letor_row(out, data.labels[r], data.queries[q], data.row(r), data.documents[r]);
        }
    }
    return out;
}

}  // namespace braid

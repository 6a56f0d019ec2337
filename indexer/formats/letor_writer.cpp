// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/letor_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

void check_row(std::string_view query, std::span<const double> values, std::string_view document) {
    const bool broken =
        std::any_of(query.begin(), query.end(), [](char c) { return is_blank(c) || c == '#'; });
    if (query.empty() || broken || has_control(query)) {
        throw InvalidArgument("query name " + quoted(query) +
                              " can't stand in a LETOR row, expected one word without #");
    }
    if (has_control(document)) {
        throw InvalidArgument("document name " + quoted(document) +
                              " has a control character, which a LETOR row can't hold");
    }
    const auto infinite =
        std::find_if(values.begin(), values.end(), [](double value) { return std::isinf(value); });
    if (infinite != values.end()) {
        throw InvalidArgument(
            fmt::format("feature {} of document {} is infinite, which a LETOR row "
                        "can't hold",
                        infinite - values.begin() + 1, quoted(document)));
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

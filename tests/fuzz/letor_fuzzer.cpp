// SPDX-License-Identifier: GPL-2.0-or-later
//
// LETOR files of any bytes: nothing but a FormatError, a matrix of the size it should have, and
// what was read can be written and read again, but names with control characters.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "braid/core/base/text.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::require;

namespace {

void check_shape(const braid::LetorData& data) {
    require(data.values.size() == data.rows() * data.features, "a full matrix");
    require(data.documents.size() == data.rows(), "a name per row");
    require(data.query_offsets.size() == data.queries.size() + 1, "offsets of all queries");
    require(data.query_offsets.back() == data.rows(), "offsets end with the rows");
    for (std::size_t q = 0; q < data.queries.size(); ++q) {
        require(data.query_offsets[q] < data.query_offsets[q + 1], "no query without rows");
    }
    require(data.feature_names.empty() || data.feature_names.size() == data.features,
            "a name per feature or none");
    std::size_t missing = 0;
    for (const double value : data.values) {
        require(!std::isinf(value), "no infinite values");
        missing += std::isnan(value) ? 1 : 0;
    }
    require(missing == data.missing, "missing values are counted");
}

void check_same(const braid::LetorData& a, const braid::LetorData& b) {
    require(a.labels == b.labels && a.documents == b.documents && a.queries == b.queries,
            "the same rows");
    require(a.query_offsets == b.query_offsets && a.feature_names == b.feature_names,
            "the same queries and names");
    require(a.values.size() == b.values.size(), "as many values");
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const bool both_missing = std::isnan(a.values[i]) && std::isnan(b.values[i]);
        require(a.values[i] == b.values[i] || both_missing, "the same values");
    }
}

bool has_control_names(const braid::LetorData& data) {
    return std::any_of(data.queries.begin(), data.queries.end(), braid::has_control) ||
           std::any_of(data.documents.begin(), data.documents.end(), braid::has_control);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::LetorOptions options;
    options.most_features = 100;  // Small matrices: more inputs a second.
    options.warn = [](const std::string&) {};
    try {
        const auto read = braid::read_letor(braid::Input::from_memory(text, "input"), options);
        check_shape(read);
        std::string written;
        try {
            written = braid::letor_text(read);
        } catch (const braid::InvalidArgument&) {
            require(has_control_names(read), "what was read can be written");
            return 0;
        }
        options.warn = [](const std::string&) {
            require(false, "what was written gives no warning");
        };
        try {
            check_same(read,
                       braid::read_letor(braid::Input::from_memory(written, "letor"), options));
        } catch (const braid::FormatError& error) {
            require(false, error.what());
        }
    } catch (const braid::FormatError&) {
    }
    return 0;
}

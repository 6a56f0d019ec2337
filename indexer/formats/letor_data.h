// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// What a LETOR file holds: documents (rows) with a label and feature values, by query. Rows of a
/// query are together. A plain value: copy and change it at will.
struct LetorData {
    std::size_t features = 0;  ///< Columns; column c is the file's feature c + first_feature.

    /// Row-major, rows() x features. A feature that a row does not mention is 0; one that is
    /// NULL in the file is missing, which is a NaN here. There are no other NaNs and no infinities.
    std::vector<double> values;
    std::size_t missing = 0;  ///< Values that are missing.

    std::vector<int> labels;             ///< One per row.
    std::vector<std::string> documents;  ///< One per row; "" where the file does not name it.

    std::vector<std::string> queries;        ///< In order of first appearance.
    std::vector<std::size_t> query_offsets;  ///< First row of each query, and rows() at the end.

    /// Names of the columns, or empty where the file has none.
    std::vector<std::string> feature_names;

    /// For each row its place among the file's rows, or empty where that is the same: only a file
    /// whose queries were scattered has its rows moved.
    std::vector<std::size_t> places;

    std::size_t rows() const { return labels.size(); }
    std::span<const double> row(std::size_t i) const {
        return {values.data() + i * features, features};
    }
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

/// Content of a LETOR file: documents (rows) with a label and feature values, grouped by query. A
/// plain value.
struct LetorData {
    std::size_t features = 0;  ///< Columns; column c is the file's feature c + first_feature.

    /// Row-major, rows() x features. A feature that a row does not mention is 0; one that is
    /// NULL in the file is missing, which is a NaN here. There are no other NaNs and no infinities.
    std::vector<double> values;
    std::size_t missing = 0;  ///< Values that are missing.

    std::vector<int> labels;             ///< One per row.
    std::vector<std::string> documents;  ///< One per row; "" if the file doesn't name it.

    std::vector<std::string> queries;        ///< In order of first appearance.
    std::vector<std::size_t> query_offsets;  ///< First row of each query, and rows() at the end.

    /// Names of the columns, or empty where the file has none.
    std::vector<std::string> feature_names;

    /// For each row its index in the file, or empty if equal: only the rows of scattered queries
    /// are moved.
    std::vector<std::size_t> places;

    std::size_t rows() const { return labels.size(); }
    std::span<const double> row(std::size_t i) const {
        return {values.data() + i * features, features};
    }
};

/// A row-major matrix that grows by rows and, for new columns, in width. Private to the LETOR
/// reader.
class LetorMatrix {
  public:
    /// Reserves `columns` columns; a good guess avoids moving rows later.
    void expect_columns(std::size_t columns);

    /// Reserves `rows` rows in total.
    void reserve_rows(std::size_t rows) { values_.reserve(rows * stride_); }
    std::size_t spare_rows() const;

    void begin_row();

    /// False if the row already has a value in this column.
    bool set(std::size_t column, double value) {
        if (column >= stride_) widen(column + 1);
        if (column >= columns_) columns_ = column + 1;
        if (row_of_last_value_[column] == rows_) return false;
        row_of_last_value_[column] = rows_;
        values_[values_.size() - stride_ + column] = value;
        return true;
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }  ///< Width of the widest row.

    /// Moves out rows() x `columns`, with `columns` >= columns(), and empties the matrix.
    std::vector<double> take(std::size_t columns);

  private:
    void widen(std::size_t columns);

    std::vector<double> values_;  // rows_ x stride_
    std::vector<std::size_t> row_of_last_value_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t stride_ = 0;
};

// Comments of LETOR files. Private to the LETOR reader and writer; comments include their leading
// '#'.

/// The document that a row's comment names: "# docid = D7", "#docid=D7 inc = 1", or in quotes
/// (docid = "a name", "" for a quote inside). "" if it names none.
std::string letor_document(std::string_view comment);

/// Whether a comment on its own line names the features, such as "# 1:bm25 2:lsa".
bool is_names_line(std::string_view comment, std::size_t first_feature);

/// The names in such a line by their numbers, which must be consecutive. Throws InvalidArgument
/// with the reason, without file and line.
std::vector<std::string> letor_names(std::string_view comment, std::size_t first_feature);

/// Throws InvalidArgument if a name can't be written or occurs twice.
void check_feature_names(const std::vector<std::string>& names);

/// The line that names a LETOR file's features, "# 1:bm25 2:lsa", with its newline. Throws
/// InvalidArgument for a name that is empty, has a blank or newline, or occurs twice.
std::string letor_names_line(const std::vector<std::string>& feature_names);

/// Appends one row: all features from 1, NaN as NULL, in the fewest digits that read back as the
/// same double; then "# docid = NAME", unless `document` is "". A name with blanks is quoted.
/// Throws InvalidArgument for an infinite value and for text that would break the line (a query
/// with a blank, a control character); `out` is then unchanged.
void append_letor_row(std::string& out, int label, std::string_view query,
                      std::span<const double> values, std::string_view document);

/// Writes the names, if any, and all rows.
std::string letor_text(const LetorData& data);

}  // namespace braid

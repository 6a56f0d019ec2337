// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace braid {

/// A row-major matrix that grows by rows and, when a row has a column no row had before, in width.
/// Private to the LETOR reader.
class LetorMatrix {
  public:
    /// Room for `columns` columns; a good guess spares moving the rows apart later.
    void expect_columns(std::size_t columns);

    /// Makes room for `rows` rows in all.
    void reserve_rows(std::size_t rows) { values_.reserve(rows * stride_); }
    std::size_t spare_rows() const;

    void begin_row();

    /// False where the row has a value in this column already.
    bool set(std::size_t column, double value) {
        if (column >= stride_) widen(column + 1);
        if (column >= columns_) columns_ = column + 1;
        if (row_of_last_value_[column] == rows_) return false;
        row_of_last_value_[column] = rows_;
        values_[values_.size() - stride_ + column] = value;
        return true;
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }  ///< As many as the widest row needs.

    /// Hands out rows() x `columns`, which is columns() or more; the matrix is empty after that.
    std::vector<double> take(std::size_t columns);

  private:
    void widen(std::size_t columns);

    std::vector<double> values_;  // rows_ x stride_
    std::vector<std::size_t> row_of_last_value_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t stride_ = 0;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/letor_matrix.h"

#include <algorithm>
#include <utility>

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

}  // namespace braid

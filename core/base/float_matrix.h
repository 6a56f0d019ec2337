// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace braid {

/// Rows of floats, one after the other.
struct FloatMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<float> values;

    FloatMatrix() = default;
    FloatMatrix(std::size_t row_count, std::size_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count) {}

    std::span<const float> row(std::size_t i) const {
        return {values.data() + i * columns, columns};
    }
    std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }
};

}  // namespace braid

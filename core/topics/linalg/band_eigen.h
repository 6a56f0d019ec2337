// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Eigenpairs of symmetric band matrices.

#include <cstddef>
#include <vector>

#include "braid/error.h"

namespace braid {

/// A symmetric matrix whose entries more than `width` off the diagonal are 0. Stores the lower
/// half, column by column.
class SymmetricBand {
  public:
    SymmetricBand(std::size_t size, std::size_t width)
        : size_(size), width_(width), values_(size * (width + 1), 0.0) {}

    std::size_t size() const { return size_; }
    std::size_t width() const { return width_; }
    /// Entry (row, column) with column <= row <= column + width.
    double& at(std::size_t row, std::size_t column) {
        return values_[column * (width_ + 1) + row - column];
    }
    double at(std::size_t row, std::size_t column) const {
        return values_[column * (width_ + 1) + row - column];
    }
    /// Entry (row, column), any.
    double get(std::size_t row, std::size_t column) const;
    double largest() const;

  private:
    std::size_t size_;
    std::size_t width_;
    std::vector<double> values_;
};

struct Eigenpairs {
    std::vector<double> values;  ///< Descending.
    /// One unit vector a value, each of the matrix's size, one after the other; orthogonal to
    /// about 1e-9 however close the values are.
    std::vector<double> vectors;

    const double* vector(std::size_t i, std::size_t size) const {
        return vectors.data() + i * size;
    }
};

/// The `count` largest eigenvalues above floor * the largest, with their vectors. O(n^2 width) for
/// the values and O(n width^2) for each vector: far less than a dense solver if width is far below
/// n.
Eigenpairs leading_eigenpairs(const SymmetricBand& matrix, std::size_t count, double floor);

}  // namespace braid

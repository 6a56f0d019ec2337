// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
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

/// Floats aligned to 64 bytes, so a row of 16 is one cache line; initially 0. Movable.
class AlignedFloats {
  public:
    explicit AlignedFloats(std::size_t size)
        : size_(size),
          data_(static_cast<float*>(::operator new[](std::max<std::size_t>(size, 1) * sizeof(float),
                                                     std::align_val_t{64}))) {
        clear();
    }

    std::size_t size() const { return size_; }
    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    void clear() { std::fill_n(data_.get(), size_, 0.0F); }

  private:
    struct Release {
        void operator()(float* data) const { ::operator delete[](data, std::align_val_t{64}); }
    };
    std::size_t size_;
    std::unique_ptr<float[], Release> data_;
};

}  // namespace braid

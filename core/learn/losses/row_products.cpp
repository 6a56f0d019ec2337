// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/row_products.h"

#include <algorithm>
#include <cstring>

namespace braid {
namespace {

// Four rankers side by side, whatever registers there are.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kWidth = 4;

struct Product {
    const double* factors;
    std::size_t stride;
    std::size_t count;
    std::span<const double> rows;
    std::size_t width;
    double* sums;
};

// kRows rows of factors times four columns from `column` on. Loads may run into the next row of
// scores, which is harmless: those lanes are dropped. At the very end they are cut.
template <std::size_t kRows>
BRAID_INLINE void add_tile(const Product& product, std::size_t first, std::size_t column) {
    const std::size_t documents = product.rows.size() / product.width;
    const double* factors = product.factors + first * product.stride;
    Lanes sums[kRows] = {};
    const auto add = [&](std::size_t d, const Lanes& x) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kRows; ++i) sums[i] += factors[i * product.stride + d] * x;
    };
    const std::size_t last = product.rows.size() - std::min(product.rows.size(), column + kWidth);
    const std::size_t whole = product.rows.size() < column + kWidth ? 0 : last / product.width + 1;
    for (std::size_t d = 0; d < whole; ++d) {
        Lanes x;
        std::memcpy(&x, product.rows.data() + d * product.width + column, sizeof x);
        add(d, x);
    }
    for (std::size_t d = whole; d < documents; ++d) {
        const std::size_t at = d * product.width + column;
        Lanes x = {};
        std::memcpy(&x, product.rows.data() + at, (product.rows.size() - at) * sizeof(double));
        add(d, x);
    }
    const std::size_t lanes = std::min(kWidth, product.width - column);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t l = 0; l < lanes; ++l) {
            product.sums[(first + i) * product.width + column + l] += sums[i][l];
        }
    }
}

BRAID_INLINE void add_all(const Product& product) {
    for (std::size_t column = 0; column < product.width; column += kWidth) {
        std::size_t i = 0;
        for (; i + 8 <= product.count; i += 8) add_tile<8>(product, i, column);
        for (; i + 2 <= product.count; i += 2) add_tile<2>(product, i, column);
        for (; i < product.count; ++i) add_tile<1>(product, i, column);
    }
}

void add_all_baseline(const Product& product) { add_all(product); }
BRAID_AVX2 void add_all_avx2(const Product& product) { add_all(product); }

}  // namespace

void add_row_products(const double* factors, std::size_t stride, std::size_t count,
                      std::span<const double> rows, std::size_t width, double* sums,
                      InstructionSet set) {
    const auto add = use_avx2(set) ? add_all_avx2 : add_all_baseline;
    add({factors, stride, count, rows, width, sums});
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/linear_risk.h"

#include <algorithm>
#include <cstring>

#include "braid/core/model/ranking_function.h"

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
                      InstructionLevel level) {
    const auto add = has_avx2(level) ? add_all_avx2 : add_all_baseline;
    add({factors, stride, count, rows, width, sums});
}

namespace {

constexpr std::size_t kRowsPerChunk = 4096;

}  // namespace

LinearRisk::LinearRisk(const TrainingSet& set, const ScoreLoss& loss, Executor& executor)
    : set_(set), loss_(loss), executor_(executor) {
    std::size_t first = 0;
    for (std::size_t q = 1; q <= set.queries.size(); ++q) {
        const bool is_full = set.query_begin[q] - set.query_begin[first] >= kRowsPerChunk;
        if (!is_full && q < set.queries.size()) continue;
        chunks_.push_back({first, q});
        first = q;
    }
}

std::vector<double> LinearRisk::scores(std::span<const double> weights) const {
    std::vector<double> result(rows());
    executor_.run(chunks_.size(), [&](std::size_t c) {
        const std::size_t begin = set_.query_begin[chunks_[c].first_query];
        const std::size_t end = set_.query_begin[chunks_[c].last_query];
        weighted_sums({set_.scores.data() + begin * width(), (end - begin) * width()}, weights,
                      {result.data() + begin, end - begin});
    });
    return result;
}

double LinearRisk::value(std::span<const double> scores, std::span<double> slopes) const {
    std::vector<double> parts(chunks_.size(), 0);
    executor_.run(chunks_.size(), [&](std::size_t c) {
        for (std::size_t q = chunks_[c].first_query; q < chunks_[c].last_query; ++q) {
            const std::size_t begin = set_.query_begin[q];
            const std::size_t size = set_.pool_size(q);
            parts[c] += loss_.of_query(q, scores.subspan(begin, size), slopes.subspan(begin, size));
        }
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

std::vector<double> LinearRisk::gradient(std::span<const double> slopes) const {
    std::vector<double> parts(chunks_.size() * width(), 0);
    executor_.run(chunks_.size(), [&](std::size_t c) {
        double* sum = parts.data() + c * width();
        const std::size_t end = set_.query_begin[chunks_[c].last_query];
        for (std::size_t i = set_.query_begin[chunks_[c].first_query]; i < end; ++i) {
            const double slope = slopes[i];
            if (slope == 0) continue;
            const double* x = set_.scores.data() + i * width();
            for (std::size_t k = 0; k < width(); ++k) sum[k] += slope * x[k];
        }
    });
    std::vector<double> result(width(), 0);
    for (std::size_t i = 0; i < parts.size(); ++i) result[i % width()] += parts[i];
    return result;
}

}  // namespace braid

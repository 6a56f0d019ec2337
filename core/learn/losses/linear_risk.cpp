// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/linear_risk.h"

#include <algorithm>

#include "braid/core/model/ranking_function.h"

namespace braid {
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

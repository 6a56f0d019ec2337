// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/ranking_function.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/error.h"

namespace braid {
namespace {

void score(const LinearFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    if (function.weights.size() != set.width()) {
        throw InvalidArgument(fmt::format("{} weights for {} rankers, expected one a ranker",
                                          function.weights.size(), set.width()));
    }
    weighted_sums(set.query_scores(query), function.weights, scores);
}

// The function's features are found by name among those of the set.
void score(const AttentionFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    const std::vector<std::string>& names = set.query_feature_names;
    std::vector<double> features;
    for (const std::string& name : function.features) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            throw InvalidArgument(
                fmt::format("the set has no query feature {}, which the weights depend on", name));
        }
        features.push_back(set.query_features[query * names.size() +
                                              static_cast<std::size_t>(found - names.begin())]);
    }
    score(LinearFunction{attention_weights(function, set.queries[query], features)}, set, query,
          scores);
}

// Standard deviation of one column of `scores`.
double deviation(std::span<const double> scores, std::size_t column, std::size_t width) {
    double mean = 0;
    double squares = 0;
    double count = 0;
    for (std::size_t i = column; i < scores.size(); i += width) {
        ++count;
        const double step = scores[i] - mean;
        mean += step / count;
        squares += step * (scores[i] - mean);
    }
    return count > 0 ? std::sqrt(squares / count) : 0;
}

}  // namespace

void score_pool(const RankingFunction& function, const TrainingSet& set, std::size_t query,
                std::span<double> scores) {
    if (scores.size() != set.pool_size(query)) {
        throw InvalidArgument(
            fmt::format("room for {} scores, expected {}", scores.size(), set.pool_size(query)));
    }
    std::visit([&](const auto& form) { score(form, set, query, scores); }, function);
}

void weighted_sums(std::span<const double> rows, std::span<const double> weights,
                   std::span<double> sums) {
    const std::size_t width = weights.size();
    const double* x = rows.data();
    for (double& result : sums) {
        double sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum += weights[k] * x[k];
        result = sum;
        x += width;
    }
}

void scale_to_sum_one(std::span<double> weights) {
    double sum = 0;
    for (const double weight : weights) sum += std::abs(weight);
    if (sum == 0) return;
    for (double& weight : weights) weight /= sum;
}

std::vector<double> shares(const LinearFunction& function, const TrainingSet& set) {
    std::vector<double> result(set.width(), 0);
    for (std::size_t k = 0; k < result.size(); ++k) {
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            result[k] += deviation(set.query_scores(q), k, set.width());
        }
        result[k] *= std::abs(function.weights.at(k));
    }
    scale_to_sum_one(result);
    return result;
}

}  // namespace braid

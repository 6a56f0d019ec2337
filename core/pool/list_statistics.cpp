// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/list_statistics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/vector_sums.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

std::vector<double> column_of(const TrainingSet& set, std::size_t query, std::size_t ranker) {
    std::vector<double> column;
    for (std::size_t i = set.query_begin[query]; i < set.query_begin[query + 1]; ++i) {
        column.push_back(set.row(i)[ranker]);
    }
    return column;
}

// 1 where a value is not the least of its column.
double coverage(const std::vector<double>& column) {
    if (column.empty()) return 0;
    const double least = *std::min_element(column.begin(), column.end());
    const auto above = std::count_if(column.begin(), column.end(),
                                     [least](double value) { return value > least; });
    return static_cast<double>(above) / static_cast<double>(column.size());
}

}  // namespace

const std::vector<std::string>& list_statistic_names() {
    static const std::vector<std::string> names = {"list:documents",       "list:coverage",
                                                   "list:coverage-spread", "list:score-spread",
                                                   "list:agreement",       "list:disagreement"};
    return names;
}

std::vector<double> list_statistics(const TrainingSet& set, std::size_t query) {
    std::vector<std::vector<double>> standard;  // Columns of mean 0 and deviation 1.
    std::vector<double> coverages;
    double spread = 0;
    for (std::size_t k = 0; k < set.width(); ++k) {
        std::vector<double> column = column_of(set, query, k);
        coverages.push_back(coverage(column));
        const Spread own = spread_of(column);
        spread += own.deviation / static_cast<double>(set.width());
        if (!(own.deviation > 0)) continue;
        // Halves, since the difference of huge scores may overflow.
        for (double& value : column) value = (value / 2 - own.mean / 2) / own.deviation * 2;
        standard.push_back(std::move(column));
    }
    std::vector<double> correlations;
    for (std::size_t a = 0; a < standard.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            double sum = 0;
            for (std::size_t i = 0; i < standard[a].size(); ++i) {
                sum += standard[a][i] * standard[b][i];
            }
            correlations.push_back(sum / static_cast<double>(standard[a].size()));
        }
    }
    const Spread covered = spread_of(coverages);
    const Spread agreement = spread_of(correlations);
    return {std::log1p(static_cast<double>(set.pool_size(query))),
            covered.mean,
            covered.deviation,
            std::log1p(spread),
            agreement.mean,
            agreement.deviation};
}

void add_list_statistics(TrainingSet& set) {
    std::vector<std::string>& names = set.query_feature_names;
    for (const std::string& name : list_statistic_names()) {
        if (std::find(names.begin(), names.end(), name) == names.end()) continue;
        throw InvalidArgument(fmt::format("the set has query feature {} already", name));
    }
    const std::size_t before = names.size();
    std::vector<double> features;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const auto own = set.query_features.begin() + static_cast<std::ptrdiff_t>(q * before);
        features.insert(features.end(), own, own + static_cast<std::ptrdiff_t>(before));
        const std::vector<double> added = list_statistics(set, q);
        features.insert(features.end(), added.begin(), added.end());
    }
    set.query_features = std::move(features);
    names.insert(names.end(), list_statistic_names().begin(), list_statistic_names().end());
}

}  // namespace braid

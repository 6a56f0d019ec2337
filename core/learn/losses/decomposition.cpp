// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/decomposition.h"

#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/losses/list_objective.h"
#include "braid/error.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

void check_weights(const TrainingSet& set, std::span<const double> weights) {
    if (weights.size() != set.width()) {
        throw InvalidArgument(fmt::format("{} weights for {} rankers, expected one a ranker",
                                          weights.size(), set.width()));
    }
    for (const double weight : weights) {
        if (std::isfinite(weight)) continue;
        throw InvalidArgument(fmt::format("a weight is {}, expected a finite number", weight));
    }
    if (sums_to_nothing(weights)) {
        throw InvalidArgument("the weights sum to 0: the rankers have no shares of them");
    }
}

}  // namespace

LossDecomposition decompose_loss(const TrainingSet& set, std::span<const double> weights,
                                 double interpolation) {
    check_weights(set, weights);
    const ListObjective plain(set, {});
    const ListObjective diverse(set, {.diversity = 1, .interpolation = interpolation});
    LossDecomposition sum;
    for (const double weight : weights) sum.weight_sum += weight;
    sum.queries = plain.queries().size();
    for (std::size_t i = 0; i < sum.queries; ++i) {
        const ListObjective::Query& query = diverse.whole(i);
        std::vector<double> ensemble;
        for (const std::uint32_t row : query.rows) ensemble.push_back(dot(set.row(row), weights));
        std::vector<double> slopes(ensemble.size());
        const double loss = list_loss(query.stages, ensemble, slopes);
        const double slope = dot(slopes, ensemble);
        std::vector<double> scores(ensemble.size());
        for (std::size_t k = 0; k < weights.size(); ++k) {
            for (std::size_t d = 0; d < scores.size(); ++d) scores[d] = set.row(query.rows[d])[k];
            const double own = list_loss(query.stages, scores, {});
            const double share = weights[k] / sum.weight_sum;
            sum.rankers += share * own;
            sum.ambiguity += share * (own - loss - (dot(slopes, scores) - slope));  // (15)
        }
        sum.ensemble += loss;
        sum.slope += slope;
        sum.diversity += loss - diverse.value(query, weights, {});
    }
    const auto count = static_cast<double>(sum.queries > 0 ? sum.queries : 1);
    for (double* part : {&sum.ensemble, &sum.rankers, &sum.ambiguity, &sum.slope, &sum.diversity}) {
        *part /= count;
    }
    return sum;
}

}  // namespace braid

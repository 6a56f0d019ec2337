// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/calibrated_scores.h"

#include <algorithm>
#include <variant>

#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"

namespace braid {
namespace {

// Of scores that no other query's compare with.
bool has_raw_scores(const FusionModel& model) {
    return model.normaliser.normaliser == "none" &&
           std::none_of(model.rankers.begin(), model.rankers.end(), [](const RankerSpec& spec) {
               return family_of(spec) == RankerFamily::kFeature;
           });
}

}  // namespace

std::vector<double> bound_weights(const RankingFunction& function) {
    std::vector<double> weights;
    if (const auto* linear = std::get_if<LinearFunction>(&function)) weights = linear->weights;
    if (const auto* forest = std::get_if<ForestFunction>(&function)) weights = forest->linear;
    for (double& weight : weights) weight = std::max(weight, 0.0);
    return weights;
}

std::vector<double> bound_weights(const FusionModel& model) {
    if (!has_raw_scores(model)) return {};
    return bound_weights(model_function(model));
}

bool can_be_calibrated(const FusionModel& model) {
    return !has_raw_scores(model) || !bound_weights(model).empty();
}

Calibration query_calibration(const Calibration& calibration, double unit) {
    Calibration result;
    for (std::size_t i = 0; i < calibration.scores.size(); ++i) {
        const double score = calibration.scores[i] * unit;
        if (!result.empty() && !(score > result.scores.back())) continue;
        result.scores.push_back(score);
        result.probabilities.push_back(calibration.probabilities[i]);
    }
    return result;
}

}  // namespace braid

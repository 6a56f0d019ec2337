// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_parameters.h"

#include <cmath>

namespace braid {

std::vector<ParameterInfo> smooth_parameters() {
    return {{"beta", 200, 1e-3, 1e9, "sharpness of the sigmoid (Wang, Choi, Liu 2017)"},
            {"window", 0, 0, 1e9,
             "score differences over this / beta have no derivative; 0: all have (the paper: 2)"}};
}

ChoiceInfo aim_choice() {
    return {"aim",
            "map",
            {"map", "graded-map", "ndcg"},
            "the measure made smooth; graded-map averages map over what counts as relevant"};
}

SmoothOptions smooth_options(const LearnerOptions& options) {
    SmoothOptions result;
    result.beta = options.parameters.at("beta");
    result.window = options.parameters.at("window");
    const std::string& aim = options.choices.at("aim");
    if (aim == "graded-map") result.aim = SmoothOptions::Aim::kGradedMap;
    if (aim == "ndcg") result.aim = SmoothOptions::Aim::kNdcg;
    return result;
}

double length(std::span<const double> weights) {
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    return std::sqrt(squares);
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/model/fusion_model.h"
#include "braid/core/model/ranking_function.h"

namespace braid {

inline constexpr const char* kStepsForm = "steps";
inline constexpr const char* kBordaForm = "borda";
inline constexpr const char* kSemiSupervisedForm = "semi-supervised";
inline constexpr const char* kForestForm = "forest";
inline constexpr const char* kMethodForm = "fusion";

/// As for all forms: `fill` writes a function into a model, an inverse reads it, `divide` gives
/// the function of raw scores for one of scores divided by `scales`. See model_function.h for what
/// they throw.
void fill(const StepFunction& function, FusionModel& model);
RankingFunction read_steps(const FusionModel& model);
RankingFunction divide(StepFunction function, const std::vector<double>& scales);

void fill(const BordaFunction& function, FusionModel& model);
RankingFunction read_borda(const FusionModel& model);
RankingFunction divide(BordaFunction function, const std::vector<double>& scales);

/// Can't be divided: which documents are neighbours depends on the scales.
void fill(const SemiSupervisedFunction& function, FusionModel& model);
RankingFunction read_semi_supervised(const FusionModel& model);
RankingFunction divide(const SemiSupervisedFunction& function, const std::vector<double>& scales);

void fill(const ForestFunction& function, FusionModel& model);
RankingFunction read_forest(const FusionModel& model);
RankingFunction divide(ForestFunction function, const std::vector<double>& scales);

/// Methods that look at the order only don't change; others can't be divided.
void fill(const MethodFunction& function, FusionModel& model);
RankingFunction read_method(const FusionModel& model);
RankingFunction divide(const MethodFunction& function, const std::vector<double>& scales);

}  // namespace braid

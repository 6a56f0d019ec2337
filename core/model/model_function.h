// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/model/ranking_function.h"

namespace braid {

/// A model's function of its rankers' scores, in their order. Throws UnknownComponent for an
/// unknown form, InvalidArgument for numbers that the form doesn't have or a wrong count of them.
BRAID_API RankingFunction model_function(const FusionModel& model);

/// Stores a function in a model: in its rankers' weights if they can hold it, otherwise in
/// FusionModel::function. `model_function` returns an equal one. Throws InvalidArgument for another
/// number of rankers or a number that is not finite.
BRAID_API void set_model_function(FusionModel& model, const RankingFunction& function);

/// The function of raw scores that ranks as `function` ranks scores divided by `scales`, one a
/// ranker: its numbers absorb the divisors. Throws InvalidArgument for another number of rankers.
BRAID_API RankingFunction without_scales(const RankingFunction& function,
                                         const std::vector<double>& scales);

/// The forms that FunctionForm can have; docs/formats.md has their numbers.
BRAID_API std::vector<std::string> function_forms();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/model/model_rankers.h"

namespace braid {

/// The family of a ranker. Throws UnknownComponent.
BRAID_API RankerFamily family_of(const RankerSpec& spec);

/// The name of the database's topic model that a ranker uses; "" for a lexical one. Throws
/// UnknownComponent.
BRAID_API std::string topic_model_of(const RankerSpec& spec);

/// The model with its lexical rankers only, in their order, or with all others, which posting
/// sources beside the words serve. What is left may
/// have no rankers, or none of a weight above 0, and so not validate. Throw UnknownComponent.
BRAID_API FusionModel lexical_part(const FusionModel& model);
BRAID_API FusionModel source_part(const FusionModel& model);

/// Of the lexical rankers those that score one field, or with "" the whole text. The same holds.
BRAID_API FusionModel field_part(const FusionModel& model, const std::string& field);

/// The fields that lexical rankers of a weight above 0 score by themselves, each once, in the
/// model's order. Throws UnknownComponent.
BRAID_API std::vector<std::string> scored_fields(const FusionModel& model);

/// The largest weight that a ranker may have. Scores of rankers are bounded by their parameters,
/// far below 1e100, so that every sum of weighted scores and of their bounds is finite.
inline constexpr double kMostWeight = 1e100;

/// "1e+308, expected 0 to 1e+100", or "" where the weight is that.
BRAID_API std::string why_no_weight(double weight);

/// Whether any ranker counts.
BRAID_API bool has_weight(const FusionModel& model);

}  // namespace braid

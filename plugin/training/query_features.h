// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/models/fusion_model.h"
#include "braid/plugin/query/bag_of_words.h"

namespace braid {

/// What is known of a query before any document is scored: TrainingSet::query_features. Described
/// in docs/algorithms/features.md. Not installed.
std::vector<std::string> query_feature_names(const FusionModel& model);

/// In the order of the names. `known` is PoolScores::known: of the model's rankers.
std::vector<double> query_features(const FusionModel& model, const BagOfWords& bag,
                                   const std::vector<double>& known);

}  // namespace braid

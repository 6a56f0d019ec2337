// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/model/ranking_function.h"
#include "braid/core/model/serving.h"
#include "braid/error.h"
#include "braid/model.h"

namespace braid {

/// A model's function of its rankers' scores, in their order. Throws UnknownComponent for an
/// unknown form, InvalidArgument for numbers that the form doesn't have or a wrong count of them.
BRAID_API RankingFunction model_function(const FusionModel& model);

/// The weighted sum that ranks alone where one pass is made of a model of two, with its own
/// calibration: the weights beside trees if none is negative, else those of the first pass
/// (RankerSpec::weight) unless all are 1, as where nobody set them. For trees, steps, votes and
/// weights of any sign; nothing for other models, and for weights of normalised scores.
BRAID_API std::optional<FusionModel> one_pass_form(const FusionModel& model);

/// Keeps a calibration of the scores of one_pass_form(model) among the function's numbers, by these
/// names.
inline constexpr const char* kOnePassScores = "one-pass-scores";
inline constexpr const char* kOnePassProbabilities = "one-pass-probabilities";
BRAID_API void set_one_pass_calibration(FusionModel& model, const Calibration& calibration);

/// Stores a function in a model: in its rankers' weights if they can hold it, otherwise in
/// FusionModel::function. `model_function` returns an equal one. Throws InvalidArgument for another
/// number of rankers or a number that is not finite.
BRAID_API void set_model_function(FusionModel& model, const RankingFunction& function);

/// The function of raw scores that ranks as `function` ranks scores divided by `scales`, one a
/// ranker: its numbers absorb the divisors. Throws InvalidArgument for another number of rankers.
RankingFunction without_scales(const RankingFunction& function, const std::vector<double>& scales);

/// The forms that FunctionForm can have; docs/formats.md has their numbers.
std::vector<std::string> function_forms();

/// The row of serving_table() that a form is in: kWeights, kSignedWeights, kQueryWeights,
/// kSignedByQuery, or kNoWeights, which is also an unknown form's. By name alone a form counts as
/// keeping its weights from 0 up where it can.
Trait trait_of(const FunctionForm& form);
Trait trait_of_form(const std::string& name);

// What a function says of itself, so that nobody else looks at its form.

/// The weights of a LinearFunction, which are the same for every query; nullptr for other forms.
const std::vector<double>* fixed_weights(const RankingFunction& function);

/// The names of the query features that its weights follow from (TrainingSet::query_feature_names);
/// none for weights that are the same for every query.
BRAID_API std::span<const std::string> query_features_of(const RankingFunction& function);

/// What it does with scores, for explanations: "weighted and added up".
BRAID_API std::string in_words(const RankingFunction& function);

/// Whether it looks at the order of each ranker's list only.
BRAID_API bool goes_by_order(const RankingFunction& function);

/// What the model's rankers count, from 0 up, in a pass that finds the documents to be scored by
/// its function: RankerSpec::weight, and the mean weights where weights follow from the query.
BRAID_API std::vector<double> first_pass_weights(const FusionModel& model,
                                                 const RankingFunction& function);

/// `share` of the function's weights and the rest of the anchor's, both of which sum to 1;
/// docs/algorithms/held-back.md (1). Throws InvalidArgument for Trait::kNoWeights.
RankingFunction mixed(const RankingFunction& function, const std::vector<double>& anchor,
                      double share);

// The scores that a calibration reads: docs/algorithms/calibration.md (2).

/// Weights from 0 up for the rankers' bounds. A query's scores are divided by the weighted sum of
/// its bounds before they are calibrated. Empty: scores are calibrated as they are (a normaliser,
/// features of a file).
BRAID_API std::vector<double> bound_weights(const FusionModel& model);
/// The same for a function; empty unless it is a weighted sum, with or without trees.
BRAID_API std::vector<double> bound_weights(const RankingFunction& function);
/// Whether scores can be calibrated: as they are, or by bound_weights.
bool can_be_calibrated(const FusionModel& model);
/// `calibration` for the raw scores of a query whose scores are divided by `unit`.
BRAID_API Calibration query_calibration(const Calibration& calibration, double unit);

}  // namespace braid

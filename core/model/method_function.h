// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// A fusion method over the rankers' lists of a pool: nothing is learned. A score that is missing
/// (NaN) is of a document that the list lacks; with MissingScore::kAbsent a score of 0 is such.
struct MethodFunction {
    std::size_t rankers = 0;
    std::string method = "rrf";
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    std::vector<double> weights = {};  ///< What each ranker's list counts; empty: all alike.

    bool operator==(const MethodFunction&) const = default;
};

/// Whether it reads TrainingSet::places.
BRAID_API bool needs_places(const MethodFunction& function);

/// One score a document of the query's pool, whose scores a normaliser has been over. Throws as
/// Fuser does.
BRAID_API void method_scores(const MethodFunction& function, const TrainingSet& set,
                             std::size_t query, std::span<double> scores);

/// Rows x rankers: what each list adds; empty where the method's scores are no such sums.
BRAID_API std::vector<double> method_parts(const MethodFunction& function, const TrainingSet& set,
                                           std::size_t query);

/// The model that fuses what `model` weighs: its rankers of a weight above 0, alike or as
/// `options` says, by the method, scores normalised as `options` says (min-max where it says
/// nothing and the method uses scores), 0 as absent. The model's own weights say what the rankers
/// count in the first pass. Throws as Fuser and model_function do, and InvalidArgument for fewer
/// than two rankers that count and for another number of weights.
BRAID_API FusionModel fused_model(const FusionModel& model, const FusionOptions& options);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "braid/core/model/fusion.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/training_set.h"

namespace braid {

/// A fusion method over the rankers' lists of a pool, without learning. NaN marks a document that a
/// list lacks; with MissingScore::kAbsent, so does 0.
struct MethodFunction {
    std::size_t rankers = 0;
    std::string method = "rrf";
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    std::vector<double> weights = {};  ///< Weights of the rankers' lists; empty: equal weights.

    bool operator==(const MethodFunction&) const = default;
};

/// Whether it reads TrainingSet::places.
BRAID_API bool needs_places(const MethodFunction& function);

/// One score a document of the query's pool, whose scores are already normalised. Throws as Fuser
/// does.
void method_scores(const MethodFunction& function, const TrainingSet& set, std::size_t query,
                   std::span<double> scores);

/// Rows x rankers: what each list adds; empty if the method's scores are not sums.
std::vector<double> method_parts(const MethodFunction& function, const TrainingSet& set,
                                 std::size_t query);

/// The model that fuses the rankers of `model` with positive weight by the method of `options`,
/// with 0 as absent. Weights and normaliser are those of `options`; by default weights are equal,
/// and min-max normalises for a method that uses scores. The weights of `model` are kept for the
/// first pass. Throws as Fuser and model_function do, and InvalidArgument for fewer than two
/// rankers of positive weight or a wrong number of weights.
FusionModel fused_model(const FusionModel& model, const FusionOptions& options);

}  // namespace braid

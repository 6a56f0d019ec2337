// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/model.h"

namespace braid {

// The first pass of a model that takes two, which ranks alone where only one pass can be made:
// docs/algorithms/trees.md, section 5.

/// Gives the rankers of a model whose function has no weights for a first pass those of `anchor`,
/// TrainingJob::anchor; leaves them if that is empty.
void set_first_pass(FusionModel& model, const std::vector<double>& anchor);

/// What was learned, as a single pass ranks by it, with one_pass_form's model. Nothing where that
/// is nothing. `anchor` as above.
std::optional<TrainedModel> in_one_pass(const TrainedModel& trained,
                                        const std::vector<double>& anchor);

/// What each fold learned, in the same way; every fold must have a form for one pass, which it has
/// where there is an anchor. Has no values of queries.
CrossValidation in_one_pass(const CrossValidation& folds, const std::vector<double>& anchor);

}  // namespace braid

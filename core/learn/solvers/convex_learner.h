// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Shared by learners that minimise a convex loss of scores.

#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/solvers/bundle.h"

namespace braid {

/// "c", "tolerance", "iterations" and "patience".
std::vector<ParameterInfo> convex_parameters(double c);

/// The options from the parameters c, tolerance and iterations.
BundleOptions bundle_options(const LearnerOptions& options);

/// The weights of 1/2 |w|^2 + c loss at its minimum, with the gap to it.
TrainingResult fit_convex(const std::string& learner, const std::string& objective,
                          const TrainingSet& set, const ScoreLoss& loss,
                          const LearnerOptions& options, Executor& executor,
                          const Progress& progress);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/score_loss.h"
#include "braid/core/learn/solvers/bundle.h"

namespace braid {

/// Minimises 1/2 |w|^2 + c R(w), over w >= 0 if asked, for an R with a gradient everywhere: limited
/// memory BFGS on the free weights, from w = 0. Ends with the same certificate as a Bundle, from
/// the curvature of the first term; docs/algorithms/bundle.md (10) to (12). If R has kinks, it
/// stops with the gap reached.
BundleState minimise_smooth(const LinearRisk& risk, const BundleOptions& options, bool non_negative,
                            const std::function<bool(const BundleState&)>& record = {});

// Shared by learners that minimise a convex loss of scores.

/// "c", "tolerance", "iterations" and "patience".
std::vector<ParameterInfo> convex_parameters(double c);

/// `method` with what such learners have in common: the parameters with their default of c, the
/// choice `weights` after its own, and linear forms, whose weights may be negative.
LearnerMethod convex_learner(LearnerMethod method, double c);

/// The choice `loss` of learners of pairs.
ChoiceInfo pair_loss_choice();

/// The options from the parameters c, tolerance and iterations.
BundleOptions bundle_options(const LearnerOptions& options);

/// The weights of 1/2 |w|^2 + c loss at its minimum, with the gap to it.
TrainingResult fit_convex(const std::string& learner, const std::string& objective,
                          const TrainingSet& set, const ScoreLoss& loss,
                          const LearnerOptions& options, Executor& executor,
                          const Progress& progress);

}  // namespace braid

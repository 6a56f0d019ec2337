// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The parameters and choices of the learners that climb a smooth measure; not installed.

#include <span>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/losses/smooth_measure.h"

namespace braid {

/// "beta" and "window".
std::vector<ParameterInfo> smooth_parameters();

/// "aim": map, graded-map, ndcg.
ChoiceInfo aim_choice();

/// The weights' Euclidean length: steps are measured by it.
double length(std::span<const double> weights);

/// From options with everything filled in.
SmoothOptions smooth_options(const LearnerOptions& options);

}  // namespace braid

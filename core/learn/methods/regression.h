// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Regression of grades, as ensembles for regression do it; docs/algorithms/regression.md.
LearnerInfo bagging_reg_info();
LearnerInfo adaboost_reg_info();

}  // namespace braid

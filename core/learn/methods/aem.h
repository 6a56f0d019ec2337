// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Softmax weights that follow from the query's features, by the logistic loss of single
/// documents; docs/algorithms/regression.md section 4.
LearnerInfo aem_info();

}  // namespace braid

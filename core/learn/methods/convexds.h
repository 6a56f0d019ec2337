// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Weights from 0 up by least squares with sparsity and diversity; docs/algorithms/regression.md
/// section 3.
LearnerInfo convexds_info();

}  // namespace braid

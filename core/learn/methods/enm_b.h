// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Boosting of rankers by how badly the ensemble does on each query; docs/algorithms/enm-b.md.
LearnerInfo enm_b_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Structured hinge losses of average precision and of ndcg; docs/algorithms/svm-map.md.
LearnerInfo svm_map_info();
LearnerInfo svm_ndcg_info();

}  // namespace braid

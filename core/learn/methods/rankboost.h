// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Boosting of thresholds on single rankers by pairs of documents; docs/algorithms/rankboost.md.
LearnerInfo rankboost_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Likelihoods of rankings; docs/algorithms/listwise.md.
LearnerInfo listnet_info();
LearnerInfo listmle_info();

}  // namespace braid

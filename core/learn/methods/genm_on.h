// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Stochastic gradient ascent on a smooth measure, one query at a time, which can be continued on
/// new queries; docs/algorithms/genm.md section 2.
LearnerInfo genm_on_info();

}  // namespace braid

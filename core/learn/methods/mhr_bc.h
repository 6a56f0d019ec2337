// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// A hyperplane for every pair of grades, which then vote; docs/algorithms/mhr-bc.md.
LearnerInfo mhr_bc_info();

}  // namespace braid

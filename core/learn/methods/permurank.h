// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Perfect against imperfect rankings, in working sets; docs/algorithms/permurank.md.
LearnerInfo permurank_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Fixed weights by the loss of pairs, of lists, and of lists with diversity;
/// docs/algorithms/list-loss.md.
LearnerInfo wep_info();
LearnerInfo wel_info();
LearnerInfo welv_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Query-dependent weights by the loss of lists, without and with diversity;
/// docs/algorithms/list-loss.md section 4.
LearnerInfo awel_info();
LearnerInfo awelv_info();

}  // namespace braid

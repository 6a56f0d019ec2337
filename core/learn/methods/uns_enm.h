// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Learns without judgements: what one ranker thinks best teaches the others;
/// docs/algorithms/genm.md section 4.
LearnerInfo uns_enm_info();

}  // namespace braid

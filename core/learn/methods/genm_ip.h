// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Interior point method for a smooth measure over weights from 0 up that sum to 1;
/// docs/algorithms/genm.md section 3.
LearnerInfo genm_ip_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Chooses a quick learner, and how much of its weights to keep beside the anchor's, by held-out
/// queries; docs/algorithms/anchored.md (5).
LearnerInfo auto_info();

}  // namespace braid

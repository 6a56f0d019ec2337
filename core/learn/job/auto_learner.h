// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Chooses a quick learner, and the share of its weights to mix with the anchor's, by held-out
/// queries; docs/algorithms/anchored.md (5).
LearnerInfo auto_info();

}  // namespace braid

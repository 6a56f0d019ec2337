// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// ListNet with weights from 0 up and a pull towards LearnerOptions::anchor;
/// docs/algorithms/anchored.md.
LearnerInfo anchored_info();

}  // namespace braid

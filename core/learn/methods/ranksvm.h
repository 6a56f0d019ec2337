// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// Ranking SVM: the hinge loss of pairs; docs/algorithms/ranksvm.md.
LearnerInfo ranksvm_info();

}  // namespace braid

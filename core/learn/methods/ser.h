// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// One margin a query between how well the rankers' orders fit the grades and 1, and the same with
/// weights that follow from each query's candidates; docs/algorithms/ser.md.
LearnerInfo ser_info();
LearnerInfo sser_info();

}  // namespace braid

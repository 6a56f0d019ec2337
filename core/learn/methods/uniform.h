// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/learn/learner.h"

namespace braid {

/// The same weight for every ranker (UniEnM): what every other learner has to beat.
LearnerInfo uniform_info();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// Whether the columns look like positions in lists, not scores: every present value is a whole
/// number from 1 up, no list of a query has one twice, and small ones are good, for the relevant
/// documents stand before the others on average in more lists than not. NaN: the list lacks the
/// document. O(scores log pool).
BRAID_API bool looks_like_positions(const TrainingSet& set, Grade relevant_from = 1);

}  // namespace braid

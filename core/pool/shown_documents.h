// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/judgements.h"
#include "braid/training_set.h"

namespace braid {

/// The set without documents that have no grade: nobody who clicked ever saw them, so they may be
/// relevant; docs/algorithms/clicks.md. A query whose graded documents are all relevant, or none
/// of them is, keeps its pool, in which the others count as irrelevant.
BRAID_API TrainingSet shown_part(TrainingSet set, Grade relevant_from);

}  // namespace braid

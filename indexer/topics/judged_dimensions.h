// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/adopt.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/indexer/topics/topic_counts.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"

namespace braid {

/// Fits the model of `record` with 25, 50, 100, 200 and 400 dimensions, as far as the documents and
/// words support them, and takes the one with the best mean average precision over `queries` when
/// ranking by similarity alone. The trials' scores are those means; the criterion reports the
/// choice's score on held-out queries (five-fold cross-validation). Skips queries without relevant
/// documents. Throws InvalidArgument if fewer than two are left; see choose_by_judgements.
DimensionChoice choose_judged_dimensions(const TopicRecord& record, const TopicCounts& counts,
                                         const std::vector<JudgedTopicQuery>& queries,
                                         Executor& executor, const Progress& progress);

}  // namespace braid

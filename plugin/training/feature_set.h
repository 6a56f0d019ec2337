// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/eval/judgements.h"
#include "braid/core/pool/training_set.h"
#include "braid/plugin/training/feature_extractor.h"

namespace braid {

/// Makes an extractor with a database of its own, since Xapian's can't be shared. Called by the
/// threads that do the work, one at a time, once for each of them; all alike.
using ExtractorFactory = std::function<std::unique_ptr<FeatureExtractor>()>;

/// Calls `take` with the rows of each query, in the order of `queries`, from the caller's thread.
/// `judgements` may be nullptr. Keeps the rows of a few queries at a time. The rows are the same
/// for any number of threads. Ages are counted from when it begins, for queries that don't say from
/// when. Throws as FeatureExtractor does; Cancelled.
BRAID_API void extract_features(std::span<const TrainingQuery> queries,
                                const Judgements* judgements, const ExtractorFactory& make,
                                Executor& executor, const std::function<void(QueryRows)>& take,
                                const Progress& progress = {});

/// All of them as a set to learn from. Memory: the scores, 8 bytes each, and the names.
BRAID_API TrainingSet make_training_set(std::span<const TrainingQuery> queries,
                                        const Judgements* judgements, const ExtractorFactory& make,
                                        Executor& executor, const Progress& progress = {});

}  // namespace braid

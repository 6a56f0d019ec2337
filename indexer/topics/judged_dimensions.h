// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <vector>

#include <xapian.h>

#include "braid/core/base/executor.h"
#include "braid/core/base/progress.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/indexer/topics/topic_counts.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// A query with its relevant documents, for choosing a number of dimensions.
struct JudgedTopicQuery {
    /// Its words in the record's form (form and stemmer are set).
    std::function<WordCounts(const TopicRecord&)> words;
    std::vector<Xapian::docid> relevant;  ///< Ascending.
};

/// Fits the model of `record` with 25, 50, 100, 200 and 400 dimensions, as far as the documents and
/// words support them, and takes the one with the best mean average precision over `queries` when
/// ranking by similarity alone. The trials' scores are those means; the criterion reports the
/// choice's score on held-out queries (five-fold cross-validation). Skips queries without relevant
/// documents. Throws InvalidArgument if fewer than two are left; see choose_by_judgements.
DimensionChoice choose_judged_dimensions(const TopicRecord& record, const TopicCounts& counts,
                                         const std::vector<JudgedTopicQuery>& queries,
                                         Executor& executor, const Progress& progress);

}  // namespace braid

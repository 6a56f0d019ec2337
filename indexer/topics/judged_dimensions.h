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

/// A query with the documents that are relevant to it, for choosing a number of dimensions.
struct JudgedTopicQuery {
    /// Its words in the form that the record says (form and stemmer are set).
    std::function<WordCounts(const TopicRecord&)> words;
    std::vector<Xapian::docid> relevant;  ///< Ascending.
};

/// Fits the model of `record` with 25, 50, 100, 200 and 400 dimensions, as far as the documents and
/// words support them, and takes the one that ranks best by similarity alone: by the mean over
/// `queries` of the average precision. The trials' scores are those means, and the criterion says
/// what the choice is worth for queries that didn't make it (five-fold cross-validation). Queries
/// without a relevant document are passed over. Throws InvalidArgument where fewer than two are
/// left; see choose_by_judgements.
DimensionChoice choose_judged_dimensions(const TopicRecord& record, const TopicCounts& counts,
                                         const std::vector<JudgedTopicQuery>& queries,
                                         Executor& executor, const Progress& progress);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <xapian.h>

#include "braid/model.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/tables/posting_table.h"

namespace braid {

/// The words of a query that any document has, as an AND of them.
BagOfWords all_words_of(BagOfWords bag);

/// The ranker all-words, ready for documents: docs/algorithms/all-words.md. Its source has the
/// factors, and is a FusedSource of an AND of the words, which reads `postings` from memory where
/// they aren't null.
SourcePart all_words_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, const std::vector<ScoreFactor>& factors,
                          const std::shared_ptr<PostingTables>& postings);

}  // namespace braid

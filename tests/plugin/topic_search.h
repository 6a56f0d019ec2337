// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/plugin/search/searcher.h"
#include "braid/tests/plugin/topic_corpus.h"

namespace braid::test {

FusionModel bm25_and_lsa(double weight);

SearchRequest request_of(const Xapian::Query& query, Xapian::doccount count = 150);

Scores scores_of(const SearchResult& result);

/// What Searcher finds.
Scores searched(const Xapian::Database& database, const FusionModel& model,
                const SearchRequest& request, const SearcherOptions& options = {});

/// The same by core's formulas over every document, without Xapian's matcher.
Scores naive(const TopicCorpus& corpus, const FusionModel& model,
             const std::vector<std::string>& words,
             SearchSettings::Candidates candidates = SearchSettings::Candidates::kWords);

}  // namespace braid::test

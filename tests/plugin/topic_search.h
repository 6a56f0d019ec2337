// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/ranking.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/topic_corpus.h"

namespace braid::test {

FusionModel bm25_and_lsa(double weight);

SearchRequest request_of(const Xapian::Query& query, Xapian::doccount count = 150);

Scores scores_of(const SearchResult& result);
Scores scores_of(const Xapian::MSet& found);

/// That the rankers' parts are within their bounds and sum up to the score.
void check_explanation(const SearchHit& hit);

/// What Searcher finds.
Scores searched(const Xapian::Database& database, const FusionModel& model,
                const SearchRequest& request, const SearcherOptions& options = {});

/// What Ranking chose for a query, and all that an Enquire of its own finds then.
struct Applied {
    RankedQuery chosen;
    Scores scores;
};
Applied applied(Ranking& ranking, const Xapian::Database& database, const Xapian::Query& query,
                const QueryUse& use = {});

/// The same by core's formulas over every document, without Xapian's matcher.
Scores naive(const TopicCorpus& corpus, const FusionModel& model,
             const std::vector<std::string>& words,
             SearchSettings::Candidates candidates = SearchSettings::Candidates::kWords);

}  // namespace braid::test

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/ranking.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/topic_corpus.h"
#include "braid/tests/support/support.h"

namespace braid::test {

FusionModel bm25_and_lsa(double weight);

/// Texts, topics and the installed model of another corpus in place of the former, in one commit.
void retrain(Xapian::WritableDatabase& database, const TopicCorpus& later, double weight,
             std::size_t number = 0, std::size_t shards = 1);

/// Calls check(corpus, searcher) for random corpora of `fewest_words` words or up to `more_words` -
/// 1 more, in 1, 2, 4 and 7 shards.
template <typename Check>
void on_random_corpora(Random& random, int corpora, std::size_t fewest_words,
                       std::size_t more_words, const Check& check) {
    for (int i = 0; i < corpora; ++i) {
        const TopicCorpus corpus(random, 30 + random.below(150),
                                 fewest_words + random.below(more_words));
        for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
            INFO("corpus " << i << ", " << shards << " shards");
            Searcher searcher(corpus.database(shards));
            check(corpus, searcher);
        }
    }
}

SearchRequest request_of(const Xapian::Query& query, Xapian::doccount count = 150);

Scores scores_of(const SearchResult& result);
Scores scores_of(const Xapian::MSet& found);

/// That the rankers' parts are within their bounds and sum up to the score.
void check_explanation(const SearchHit& hit);

/// What Searcher finds. Fails the test unless Ranking finds the same: see check_ranking.
Scores searched(const Xapian::Database& database, const FusionModel& model,
                const SearchRequest& request, const SearcherOptions& options = {});

/// What Ranking chose for a query, and all that an Enquire of its own finds then.
struct Applied {
    RankedQuery chosen;
    Scores scores;
};
Applied applied(Ranking& ranking, const Xapian::Database& database, const Xapian::Query& query,
                const QueryUse& use = {});

/// Fails the test unless an Enquire with the request's sorting, collapsing, cut-off and page finds
/// what Searcher found for it, once Ranking has set its query. Returns whether it had to, which it
/// has not where the model takes two passes, for hybrid candidates, and for queries in text.
bool check_ranking(const Xapian::Database& database, const FusionModel& model,
                   const SearchRequest& request, const SearchResult& expected,
                   const SearcherOptions& options = {});

/// The same by core's formulas over every document, without Xapian's matcher.
Scores naive(const TopicCorpus& corpus, const FusionModel& model,
             const std::vector<std::string>& words,
             SearchSettings::Candidates candidates = SearchSettings::Candidates::kWords);

}  // namespace braid::test

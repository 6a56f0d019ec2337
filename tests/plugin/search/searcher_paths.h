// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// Lexical rankers with none to two topic rankers among them, light and heavy, some of weight 0.
FusionModel random_topic_model(Random& random);

/// A bag of words, some given twice, unknown or none at all, with or without filters, exclusions,
/// sorting, collapsing, a least score; on a random page.
SearchRequest random_request(Random& random, const TopicCorpus& corpus);

/// Fails the test unless the fastest path and the plain one give the same results.
void check_paths_agree(const Xapian::Database& database, const FusionModel& model,
                       const SearchRequest& request);

/// Fails the test unless `searcher` gives those results for the request.
void check_same_results(Searcher searcher, const FusionModel& model, const SearchRequest& request,
                        const SearchResult& expected);

/// Calls `check(corpus, model, request, random)`.
template <typename Check>
void for_random_requests(int corpora, int requests, const Check& check) {
    Random random(seed());
    for (int i = 0; i < corpora; ++i) {
        const TopicCorpus corpus(random, 20 + random.below(200), 5 + random.below(50));
        for (int j = 0; j < requests; ++j) {
            INFO("corpus " << i << ", request " << j);
            check(corpus, random_topic_model(random), random_request(random, corpus), random);
        }
    }
}

}  // namespace braid::test

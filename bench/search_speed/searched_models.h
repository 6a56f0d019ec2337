// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/model.h"
#include "braid/searcher.h"

namespace braid::bench {

/// What Xapian::BM25Weight computes by its defaults.
inline FusionModel bm25_model() {
    return {.rankers = {{.ranker = "bm25",
                         .parameters = {{"k1", 1}, {"b", 0.5}, {"k3", 1}, {"min_length", 0.5}}}}};
}

inline FusionModel six_rankers() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet", .weight = 0.4},
                        {.ranker = "dph", .weight = 0.8},
                        {.ranker = "pl2", .weight = 0.6},
                        {.ranker = "tfidf-pivoted", .weight = 0.5},
                        {.ranker = "bm25+", .weight = 0.3}}};
}

/// The mean over queries of the best document's score by the lexical `model`.
inline double mean_best(Searcher searcher, const FusionModel& model,
                        const std::vector<Xapian::Query>& queries) {
    searcher.rank_by(model);
    double sum = 0;
    for (const Xapian::Query& query : queries) {
        SearchRequest request;
        request.query = query;
        request.count = 1;
        request.documents = false;
        sum += searcher.search(request).hits.at(0).score;
    }
    return sum / static_cast<double>(queries.size());
}

}  // namespace braid::bench

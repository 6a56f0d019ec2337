// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/topic_search.h"

namespace braid::test {

FusionModel bm25_and_lsa(double weight) {
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = weight}};
    return model;
}

SearchRequest request_of(const Xapian::Query& query, Xapian::doccount count) {
    SearchRequest request;
    request.query = query;
    request.count = count;
    return request;
}

Scores scores_of(const SearchResult& result) {
    Scores scores;
    for (const SearchHit& hit : result.hits) scores[hit.docid] = hit.score;
    return scores;
}

Scores searched(const Xapian::Database& database, const FusionModel& model,
                const SearchRequest& request, const SearcherOptions& options) {
    Searcher searcher(database, options);
    searcher.rank_by(model);
    return scores_of(searcher.search(request));
}

// By core's formulas over every document, without Xapian's matcher.
Scores naive(const TopicCorpus& corpus, const FusionModel& model,
             const std::vector<std::string>& words, SearchSettings::Candidates candidates) {
    FusionModel lexical = model;
    std::erase_if(lexical.rankers, [](const RankerSpec& spec) {
        return spec.ranker == "lsa" || spec.ranker == "lda";
    });
    Scores scores = naive_scores(corpus.corpus().database(), lexical, words);
    for (const RankerSpec& spec : model.rankers) {
        if (spec.ranker != "lsa" && spec.ranker != "lda") continue;
        for (const auto& [docid, similarity] : corpus.similarities(spec.ranker, words)) {
            const bool brought = candidates == SearchSettings::Candidates::kAll && similarity > 0;
            if (brought || scores.contains(docid)) scores[docid] += spec.weight * similarity;
        }
    }
    return scores;
}

}  // namespace braid::test

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

void check_explanation(const SearchHit& hit) {
    double sum = 0;
    for (const RankerExplanation& ranker : hit.explanation->rankers) {
        sum += ranker.contribution;
        CHECK(*ranker.value <= *ranker.bound * (1 + 1e-12));
    }
    CHECK(std::abs(sum - hit.score) <= 1e-9 * sum);
}

Scores scores_of(const Xapian::MSet& found) {
    Scores scores;
    for (auto hit = found.begin(); hit != found.end(); ++hit) scores[*hit] = hit.get_weight();
    return scores;
}

Applied applied(Ranking& ranking, const Xapian::Database& database, const Xapian::Query& query,
                const QueryUse& use) {
    Xapian::Enquire enquire(database);
    Applied result{ranking.apply(enquire, query, use), {}};
    result.scores = scores_of(enquire.get_mset(0, database.get_doccount()));
    return result;
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/topic_search.h"

#include <algorithm>
#include <cmath>

#include "braid/core/model/serving.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/record_reader.h"

namespace braid::test {

FusionModel bm25_and_lsa(double weight) {
    FusionModel model;
    model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = weight}};
    return model;
}

void retrain(Xapian::WritableDatabase& database, const TopicCorpus& later, double weight,
             std::size_t number, std::size_t shards) {
    Xapian::WritableDatabase texts("", Xapian::DB_BACKEND_INMEMORY);
    later.write_shard(texts, number, shards);
    for (Xapian::docid docid = 1; docid <= texts.get_lastdocid(); ++docid) {
        database.replace_document(docid, texts.get_document(docid));
    }
    for (const char* name : {"lsa", "lda"}) {
        const CorpusTopics& topics = later.topics(name);
        write_topic_model(database, topics.id, topics.record, {}, topics.model);
        const std::string former = publish_topic_model(database, {name, topics.id});
        // Xapian's databases in memory can't list keys.
        if (!database.get_uuid().empty()) clear_topic_keys(database, former);
    }
    store_fusion_model(database, bm25_and_lsa(weight));
    database.commit();
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
    const SearchResult found = searcher.search(request);
    check_ranking(database, model, request, found, options);
    return scores_of(found);
}

bool check_ranking(const Xapian::Database& database, const FusionModel& model,
                   const SearchRequest& request, const SearchResult& expected,
                   const SearcherOptions& options) {
    RankingSetup setup;
    setup.sidecars = options.sidecars;
    setup.candidates =
        request.candidates.value_or(options.search.candidates.value_or(model.candidates));
    setup.index = options.index;
    setup.vectors = options.vectors;
    setup.postings = options.postings;
    const Way way = serving(model, DatabaseRecords::are_in(database)).way;
    if (way != Way::kWeight && way != Way::kSource) return false;
    // Xapian 2 itself keeps other documents than the best.
    if (kIsXapian2 && request.collapse) return false;
    if (!request.query || setup.candidates == Candidates::kHybrid) return false;
    Xapian::Query query = *request.query;
    if (request.filter) query = Xapian::Query(Xapian::Query::OP_FILTER, query, *request.filter);
    if (!may_prune(query)) return false;
    INFO("through Ranking");
    Ranking ranking(database, model, setup);
    Xapian::Enquire enquire(database);
    const RankedQuery chosen = ranking.apply(enquire, query, {.inputs = request.inputs});
    if (expected.run.rescored > 0) {
        if (request.path == SearchRequest::Path::kPlain) return false;
        CHECK_THAT(chosen.why_not_fused, Catch::Matchers::Contains("can't run this search"));
        return false;
    }
    REQUIRE(chosen.why_not_fused.empty());
    // Xapian may lose a match by a cut-off then, which Searcher makes afterwards.
    if (request.min_score > 0 && !chosen.run.pruned) return false;
    if (request.path == SearchRequest::Path::kFastest) {
        CHECK(chosen.run.pruned == expected.run.pruned);
    }
    if (request.sort) {
        enquire.set_sort_by_value_then_relevance(request.sort->slot, request.sort->descending);
    }
    if (request.collapse) enquire.set_collapse_key(request.collapse->slot, request.collapse->keep);
    if (request.min_score > 0) enquire.set_cutoff(0, request.min_score);
    const Xapian::MSet found = enquire.get_mset(
        request.first, request.count, std::max(request.check_at_least, chosen.check_at_least));
    REQUIRE(found.size() == expected.hits.size());
    const double relative = chosen.run.pruned && expected.run.pruned ? 0 : 1e-9;
    for (Xapian::doccount i = 0; i < found.size(); ++i) {
        const SearchHit& hit = expected.hits[i];
        const double score = found[i].get_weight();
        // Others of the same value, or equals up to rounding, may have changed places.
        const bool is_same = *found[i] == hit.docid;
        if (is_same || !request.sort) REQUIRE(std::abs(score - hit.score) <= relative * hit.score);
        if (relative == 0) REQUIRE(is_same);
    }
    return true;
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

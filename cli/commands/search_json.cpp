// SPDX-License-Identifier: GPL-2.0-or-later
#include <nlohmann/json.hpp>

#include "braid/cli/commands/search_output.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Explanation& explanation) {
    Json rankers = Json::array();
    for (const RankerExplanation& ranker : explanation.rankers) {
        Json terms = Json::array();
        for (const TermValue& term : ranker.terms) {
            terms.push_back({{"term", term.term},
                             {"query_occurrences", term.query_occurrences},
                             {"occurrences", term.occurrences},
                             {"value", term.value}});
        }
        rankers.push_back({{"label", ranker.label},
                           {"ranker", ranker.ranker},
                           {"formula", ranker.formula},
                           {"value", ranker.value ? Json(*ranker.value) : Json()},
                           {"place", ranker.place ? Json(*ranker.place) : Json()},
                           {"normalised", ranker.normalised ? Json(*ranker.normalised) : Json()},
                           {"weight", ranker.weight},
                           {"mean_weight", ranker.mean_weight ? Json(*ranker.mean_weight) : Json()},
                           {"contribution", ranker.contribution},
                           {"bound", ranker.bound ? Json(*ranker.bound) : Json()},
                           {"document_value", ranker.document_value},
                           {"terms", std::move(terms)},
                           {"note", ranker.note}});
    }
    return {
        {"path", explanation.path}, {"note", explanation.note}, {"rankers", std::move(rankers)}};
}

Json json_of(const SearchHit& hit) {
    Json json = {{"rank", hit.rank},       {"docid", hit.docid},     {"name", hit.name},
                 {"score", hit.score},     {"percent", hit.percent}, {"title", hit.title},
                 {"snippet", hit.snippet}, {"terms", hit.terms}};
    // Data without fields is one text.
    if (hit.fields.empty()) {
        json["data"] = hit.data;
    } else {
        json["fields"] = hit.fields;
    }
    if (hit.collapsed > 0) json["collapsed"] = hit.collapsed;
    if (hit.explanation) json["explanation"] = json_of(*hit.explanation);
    return json;
}

Json json_of(const SearchRun& run) {
    const FusedCounters& counters = run.counters;
    return {{"path", run.path},
            {"pruned", run.pruned},
            {"why_not_pruned", run.why_not_pruned},
            {"postings", counters.postings},
            {"postings_in_memory", counters.postings_in_memory},
            {"postings_scored", counters.postings_scored},
            {"documents_scored", counters.documents_scored},
            {"documents_skipped", counters.documents_skipped},
            {"vectors_decoded", counters.vectors_decoded},
            {"vectors_in_memory", counters.vectors_in_memory},
            {"vectors_bounded", counters.vectors_bounded},
            {"damaged", counters.damaged},
            {"clusters", counters.clusters},
            {"clusters_visited", counters.clusters_visited},
            {"clusters_left", counters.clusters_left},
            {"clusters_left_bound", counters.left_bound},
            {"documents_similar", counters.documents_similar},
            {"surely", run.surely},
            {"feedback_milliseconds", run.feedback_milliseconds},
            {"weighting_milliseconds", run.weighting_milliseconds},
            {"weighting_documents", run.weighting_documents},
            {"rescored", run.rescored},
            {"rescoring_milliseconds", run.rescoring_milliseconds}};
}

Json json_of(const FinishedSearch& search) {
    const SearchResult& result = search.result;
    Json hits = Json::array();
    for (const SearchHit& hit : result.hits) hits.push_back(json_of(hit));
    return {{"query", search.query},
            {"parsed", result.query.get_description()},
            {"model", search.model},
            {"corrected", result.corrected},
            {"milliseconds", search.milliseconds},
            {"complete", result.complete},
            {"matches",
             {{"estimated", result.matches},
              {"at_least", result.matches_at_least},
              {"at_most", result.matches_at_most}}},
            {"run", json_of(result.run)},
            {"hits", std::move(hits)}};
}

}  // namespace

Json results_json(const FinishedSearch& search) { return json_of(search); }

Json comparison_json(const FinishedSearch& left, const FinishedSearch& right) {
    return Json::array({json_of(left), json_of(right)});
}

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "braid/cli/output/output.h"
#include "braid/cli/report/eval_report.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; null stands for it.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json difference_json(const EvalReport& report, const Comparison& c) {
    return {{"mean", c.mean_difference},
            {"interval_95", {number(c.interval.low), number(c.interval.high)}},
            {"effect_size", number(c.effect)},
            {"better", c.better},
            {"worse", c.worse},
            {"queries", c.queries.size()},
            {"test", report.settings.test},
            {"statistic", number(c.test.statistic)},
            {"exact", c.test.exact},
            {"p", c.test.p},
            {"p_corrected", c.p_adjusted}};
}

Json per_query_json(const EvalReport& report, const EvaluatedRun& run) {
    const std::vector<std::size_t> places = places_of(report, run.evaluation);
    Json queries = Json::object();
    for (const std::size_t query : all_queries(report)) {
        const std::size_t place = places[query];
        if (place == kNotEvaluated) continue;
        const RetrievalCounts& counts = run.evaluation.counts[place];
        Json one = {{"in_run", static_cast<bool>(run.in_run[query])},
                    {"retrieved", counts.retrieved},
                    {"relevant", counts.relevant},
                    {"relevant_retrieved", counts.relevant_retrieved},
                    {"unjudged", counts.unjudged}};
        for (std::size_t m = 0; m < report.measures.size(); ++m) {
            one[report.measures[m]] = run.evaluation.values[m][place];
        }
        queries[report.query_name(query)] = std::move(one);
    }
    return queries;
}

Json run_json(const EvalReport& report, const EvaluatedRun& run) {
    const Evaluation& evaluation = run.evaluation;
    const RetrievalCounts total = evaluation.total();
    Json json = {{"name", run.label}, {"file", run.file}, {"tag", run.tag}};
    json["queries"] = {{"judged", evaluation.judged_queries},
                       {"in_run", evaluation.judged_queries - evaluation.missing_queries},
                       {"missing", evaluation.missing_queries},
                       {"evaluated", evaluation.queries.size()},
                       {"without_relevant", evaluation.empty_queries},
                       {"unjudged", run.oddities.unjudged_queries}};
    json["documents"] = {{"retrieved", total.retrieved},
                         {"relevant", total.relevant},
                         {"relevant_retrieved", total.relevant_retrieved},
                         {"unjudged", total.unjudged}};
    Json& means = json["mean"] = Json::object();
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
        means[report.measures[m]] = evaluation.mean(m);
    }
    if (!run.comparisons.empty()) {
        Json& differences = json["difference"] = Json::object();
        for (std::size_t m = 0; m < report.measures.size(); ++m) {
            if (!is_quality(report.measures[m])) continue;
            differences[report.measures[m]] = difference_json(report, run.comparisons[m]);
        }
    }
    if (report.settings.per_query) json["per_query"] = per_query_json(report, run);
    return json;
}

}  // namespace

void print_json(const EvalReport& report) {
    const EvalSettings& settings = report.settings;
    Json json;
    json["judgements"] = {{"file", settings.qrels},
                          {"queries", report.judgements.queries().size()},
                          {"documents", report.judgements.size()},
                          {"relevant", report.relevant},
                          {"relevant_from", settings.evaluation.measure.relevant_from}};
    json["missing"] = settings.evaluation.missing == MissingQueries::kZero ? "zero" : "skip";
    json["skip_empty"] = settings.evaluation.skip_empty;
    json["measures"] = report.measures;
    if (report.compares()) {
        json["comparison"] = {{"baseline", report.runs[report.baseline].label},
                              {"test", settings.test},
                              {"title", report.test_title},
                              {"correction", "holm"},
                              {"corrected_over", report.runs.size() - 1}};
    }
    json["runs"] = Json::array();
    for (const EvaluatedRun& run : report.runs) json["runs"].push_back(run_json(report, run));
    print_json(json, 2);
}

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/cli/report/eval_report.h"
#include "braid/core/eval/measure.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; null stands for it.
Json difference_json(const EvalReport& report, const Comparison& c) {
    return {{"mean", c.mean_difference},
            {"interval_95", {finite_json(c.interval.low), finite_json(c.interval.high)}},
            {"effect_size", finite_json(c.effect)},
            {"better", c.better},
            {"worse", c.worse},
            {"queries", c.queries.size()},
            {"test", report.settings.test},
            {"statistic", finite_json(c.test.statistic)},
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
    Json& precision = json["interpolated_precision"] = Json::array();
    for (std::size_t i = 0; i < run.curve.size(); i += 10) precision.push_back(run.curve[i]);
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
    json["judgements"] = {{"file", settings.qrels.name()},
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

namespace {

// A value with room for a mark behind it, so that the decimal points of a column stay in line.
std::string marked(const EvalReport& report, const EvaluatedRun& run, std::size_t measure) {
    std::string cell = fmt::format("{:.4f}", run.evaluation.mean(measure));
    if (!report.compares() || !is_quality(report.measures[measure])) return cell;
    const std::string mark =
        run.comparisons.empty() ? "" : significance_mark(run.comparisons[measure]);
    return fmt::format("{}{:<2}", cell, mark);
}

void print_summary(const EvalReport& report) {
    TextTable table;
    std::vector<std::string> header = {"run"};
    for (const std::string& measure : report.measures) {
        const bool has_marks = report.compares() && is_quality(measure);
        header.push_back(measure + (has_marks ? "  " : ""));
    }
    for (const char* count : {"queries", "in run", "missing", "evaluated"})
        header.emplace_back(count);
    table.row(header);
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        const EvaluatedRun& run = report.runs[i];
        const Evaluation& evaluation = run.evaluation;
        std::vector<std::string> cells = {
            run.label + (report.compares() && i == report.baseline ? " (baseline)" : "")};
        for (std::size_t m = 0; m < report.measures.size(); ++m) {
            cells.push_back(marked(report, run, m));
        }
        cells.push_back(std::to_string(evaluation.judged_queries));
        cells.push_back(std::to_string(evaluation.judged_queries - evaluation.missing_queries));
        cells.push_back(std::to_string(evaluation.missing_queries));
        cells.push_back(std::to_string(evaluation.queries.size()));
        table.row(cells);
    }
    print_text(table.text());
}

std::string correction_text(const EvalReport& report) {
    if (report.runs.size() == 2) return "one comparison, so nothing to correct";
    return fmt::format("p corrected over {} runs for each measure (Holm)", report.runs.size() - 1);
}

void print_differences(const EvalReport& report) {
    print_formatted("\nDifference from {}: {}, {}\n\n", report.runs[report.baseline].label,
                    report.test_title, correction_text(report));
    TextTable table(2);
    table.row({"measure", "run", "difference", "95 % interval", "effect", "better", "worse",
               "queries", "p", "corrected", ""});
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
        if (!is_quality(report.measures[m])) continue;
        for (const EvaluatedRun& run : report.runs) {
            if (run.comparisons.empty()) continue;
            const Comparison& c = run.comparisons[m];
            table.row({report.measures[m], run.label, signed_four_places(c.mean_difference),
                       fmt::format("{:+.4f} .. {:+.4f}", c.interval.low, c.interval.high),
                       fmt::format("{:+.2f}", c.effect), std::to_string(c.better),
                       std::to_string(c.worse), std::to_string(c.queries.size()), p_text(c.test.p),
                       p_text(c.p_adjusted), fmt::format("{:<2}", significance_mark(c))});
        }
    }
    print_text(table.text() + "\n*  corrected p < 0.05   **  corrected p < 0.01\n");
}

void print_queries(const EvalReport& report, std::size_t measure) {
    print_formatted("\n{} by query\n\n", report.measures[measure]);
    const std::vector<std::size_t> queries = all_queries(report);
    std::vector<std::vector<std::size_t>> places;
    std::vector<std::string> header = {"query"};
    for (const EvaluatedRun& run : report.runs) {
        places.push_back(places_of(report, run.evaluation));
        header.push_back(run.label);
    }
    TextTable table;
    table.row(header);
    for (const std::size_t query : queries) {
        std::vector<std::string> cells = {report.query_name(query)};
        for (std::size_t r = 0; r < report.runs.size(); ++r) {
            const std::size_t place = places[r][query];
            cells.push_back(
                place == kNotEvaluated
                    ? "-"
                    : fmt::format("{:.4f}", report.runs[r].evaluation.values[measure][place]));
        }
        table.row(cells);
    }
    print_text(table.text());
}

}  // namespace

void print_text(const EvalReport& report) {
    print_formatted("{} queries judged: {} documents, {} of them relevant (grade {} and above)\n\n",
                    report.judgements.queries().size(), report.judgements.size(), report.relevant,
                    report.settings.evaluation.measure.relevant_from);
    print_summary(report);
    if (report.compares()) print_differences(report);
    if (!report.settings.per_query) return;
    for (std::size_t m = 0; m < report.measures.size(); ++m) print_queries(report, m);
}

namespace {

void print_count(const char* name, const std::string& query, std::size_t value) {
    print_data(fmt::format("{:<22}\t{}\t{}\n", name, query, value));
}

void print_counts(const std::string& query, const RetrievalCounts& counts) {
    print_count("num_ret", query, counts.retrieved);
    print_count("num_rel", query, counts.relevant);
    print_count("num_rel_ret", query, counts.relevant_retrieved);
}

void print_value(const std::string& name, const std::string& query, double value) {
    print_data(fmt::format("{:<22}\t{}\t{:6.4f}\n", name, query, value));
}

// As trec_eval -q: queries by the bytes of their names, and none that the run lacks, even where
// they count in the mean.
void print_trec_queries(const EvalReport& report, const EvaluatedRun& run,
                        const std::vector<std::string>& names) {
    const Evaluation& evaluation = run.evaluation;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < evaluation.queries.size(); ++i) {
        if (run.in_run[evaluation.queries[i]]) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return report.query_name(evaluation.queries[a]) < report.query_name(evaluation.queries[b]);
    });
    for (const std::size_t i : order) {
        const std::string& query = report.query_name(evaluation.queries[i]);
        print_counts(query, evaluation.counts[i]);
        for (std::size_t m = 0; m < names.size(); ++m) {
            print_value(names[m], query, evaluation.values[m][i]);
        }
    }
}

}  // namespace

void print_trec(const EvalReport& report) {
    std::vector<std::string> names;
    for (const std::string& measure : report.measures) names.push_back(trec_eval_name(measure));
    for (const EvaluatedRun& run : report.runs) {
        if (report.settings.per_query) print_trec_queries(report, run, names);
        print_data(fmt::format("{:<22}\tall\t{}\n", "runid", run.tag));
        print_count("num_q", "all", run.evaluation.queries.size());
        print_counts("all", run.evaluation.total());
        for (std::size_t m = 0; m < names.size(); ++m) {
            print_value(names[m], "all", run.evaluation.mean(m));
        }
    }
}

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/core.h>
#include <fmt/format.h>

#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/cli/report/eval_report.h"

namespace braid::cli {
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
            table.row({report.measures[m], run.label, fmt::format("{:+.4f}", c.mean_difference),
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

}  // namespace braid::cli

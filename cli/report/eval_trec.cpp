// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <fmt/core.h>

#include "braid/cli/output/output.h"
#include "braid/cli/report/eval_report.h"
#include "braid/core/eval/measure.h"

namespace braid::cli {
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
void print_queries(const EvalReport& report, const EvaluatedRun& run,
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
        if (report.settings.per_query) print_queries(report, run, names);
        print_data(fmt::format("{:<22}\tall\t{}\n", "runid", run.tag));
        print_count("num_q", "all", run.evaluation.queries.size());
        print_counts("all", run.evaluation.total());
        for (std::size_t m = 0; m < names.size(); ++m) {
            print_value(names[m], "all", run.evaluation.mean(m));
        }
    }
}

}  // namespace braid::cli

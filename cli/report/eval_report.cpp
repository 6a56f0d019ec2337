// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report/eval_report.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at the start of `text`, without leading zeros, and what follows it.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
    return number;
}

}  // namespace

bool is_quality(std::string_view measure) { return !measure.starts_with("judged"); }

std::string significance_mark(const Comparison& comparison) {
    if (comparison.p_adjusted < 0.01) return "**";
    return comparison.p_adjusted < 0.05 ? "*" : "";
}

std::string p_text(double p) { return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p); }

bool natural_less(std::string_view a, std::string_view b) {
    std::string_view rest_a = a;
    std::string_view rest_b = b;
    while (!rest_a.empty() && !rest_b.empty()) {
        if (is_digit(rest_a.front()) && is_digit(rest_b.front())) {
            const std::string_view number_a = take_number(rest_a);
            const std::string_view number_b = take_number(rest_b);
            if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
            if (number_a != number_b) return number_a < number_b;
            continue;
        }
        if (rest_a.front() != rest_b.front()) return rest_a.front() < rest_b.front();
        rest_a.remove_prefix(1);
        rest_b.remove_prefix(1);
    }
    if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
    return a < b;  // "7" and "07".
}

std::vector<std::size_t> all_queries(const EvalReport& report) {
    std::vector<std::size_t> queries;
    for (const EvaluatedRun& run : report.runs) {
        queries.insert(queries.end(), run.evaluation.queries.begin(), run.evaluation.queries.end());
    }
    std::sort(queries.begin(), queries.end());
    queries.erase(std::unique(queries.begin(), queries.end()), queries.end());
    std::sort(queries.begin(), queries.end(), [&report](std::size_t a, std::size_t b) {
        return natural_less(report.query_name(a), report.query_name(b));
    });
    return queries;
}

std::vector<std::size_t> places_of(const EvalReport& report, const Evaluation& evaluation) {
    std::vector<std::size_t> places(report.judgements.queries().size(), kNotEvaluated);
    for (std::size_t i = 0; i < evaluation.queries.size(); ++i) {
        places[evaluation.queries[i]] = i;
    }
    return places;
}

}  // namespace braid::cli

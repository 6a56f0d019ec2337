// SPDX-License-Identifier: GPL-2.0-or-later
// Sections of the training page on what the measure loses, and where: by pairs of grades, by groups
// of queries, and against the bounds that learners minimise.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {

std::vector<QueryGroup> query_groups(const TrainingFindings& findings) {
    if (findings.unequal_pairs.empty()) return {};
    const double most =
        *std::max_element(findings.unequal_pairs.begin(), findings.unequal_pairs.end());
    double step = axis_step(std::max(most, 1.0));
    while (most / step > 12) step *= 2;
    std::vector<QueryGroup> groups;
    for (double from = 0; from <= most; from += step) {
        QueryGroup group{.from = from, .to = from + step};
        group.means.assign(findings.systems.size(), 0);
        for (std::size_t q = 0; q < findings.queries.size(); ++q) {
            const double pairs = findings.unequal_pairs[q];
            if (pairs < group.from || pairs >= group.to) continue;
            ++group.queries;
            for (std::size_t s = 0; s < findings.systems.size(); ++s) {
                group.means[s] += findings.systems[s].values[q];
            }
        }
        const auto count = static_cast<double>(std::max<std::size_t>(group.queries, 1));
        for (double& mean : group.means) mean /= count;
        groups.push_back(std::move(group));
    }
    return groups;
}

namespace {

// The systems with pair errors: what was learned and what it is compared with.
std::vector<std::size_t> shown_systems(const TrainingFindings& findings) {
    std::vector<std::size_t> systems;
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        if (!findings.systems[s].pair_errors.empty()) systems.push_back(s);
    }
    return systems;
}

void add_heads(Html& html, const TrainingFindings& findings) {
    for (const std::size_t s : shown_systems(findings)) {
        html.print("<th scope=\"col\">{}</th>", escape_html(system_title(findings, s)));
    }
    html.add("</tr></thead><tbody>\n");
}

void add_pair_table(Html& html, const TrainingFindings& findings) {
    begin_scroll(html, "errors by pair of grades");
    html.add("<table><thead><tr><th scope=\"col\">grades</th><th scope=\"col\">pairs</th>");
    add_heads(html, findings);
    for (std::size_t i = 0; i < findings.grade_pairs.size(); ++i) {
        const GradePair& pair = findings.grade_pairs[i];
        html.print("<tr><th scope=\"row\">{} over {}</th><td>{:.0f}</td>", pair.upper, pair.lower,
                   pair.pairs);
        for (const std::size_t s : shown_systems(findings)) {
            html.print("<td>{:.2f} %</td>", 100 * findings.systems[s].pair_errors[i]);
        }
        html.add("</tr>\n");
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

void add_group_table(Html& html, const TrainingFindings& findings) {
    html.print("<h3>{} by group of queries</h3>\n", escape_html(findings.measures[0]));
    begin_scroll(html, "measure by group of queries");
    html.add(
        "<table><thead><tr><th scope=\"col\">pairs of a query</th>"
        "<th scope=\"col\">queries</th>");
    add_heads(html, findings);
    for (const QueryGroup& group : query_groups(findings)) {
        html.print("<tr><th scope=\"row\">{:.0f} .. {:.0f}</th><td>{}</td>", group.from,
                   group.to - 1, group.queries);
        for (const std::size_t s : shown_systems(findings)) {
            html.add(group.queries == 0 ? "<td>-</td>"
                                        : fmt::format("<td>{:.4f}</td>", group.means[s]));
        }
        html.add("</tr>\n");
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

void add_bound_row(Html& html, const std::string& title, const double* values) {
    html.print("<tr><th scope=\"row\">{}</th>", title);
    for (std::size_t f = 0; f < LossBounds::kForms; ++f) html.print("<td>{:.4f}</td>", values[f]);
    html.add("</tr>\n");
}

void add_bound_table(Html& html, const LossBounds& bounds, bool has_two) {
    begin_scroll(html, "bounds of the loss");
    html.add(
        "<table><thead><tr><th scope=\"col\">mean of a query</th><th scope=\"col\">exponential"
        "</th><th scope=\"col\">logistic</th><th scope=\"col\">hinge</th></tr></thead><tbody>\n");
    add_bound_row(html, "type one", bounds.one);
    if (has_two) {
        add_bound_row(html, "type two, pairs of unequal grades", bounds.two);
        add_bound_row(html, "type two, all pairs", bounds.two_all_pairs);
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

std::string weights_chart(const TrainReport& report) {
    const TwoRankers& two = *report.findings->two_rankers;
    LineChart chart = {.title = "The measure by the weight of the first of two rankers",
                       .x_label = "weight of " + report.findings->mapped[0],
                       .y_label = report.findings->measures[0],
                       .x_range = {0, 1},
                       .lines = {}};
    chart.lines.push_back({"the measure", two.first, two.measure, "c0"});
    if (!two.smooth.empty()) {
        chart.lines.push_back({"the smooth measure", two.first, two.smooth, "c1"});
    }
    return line_chart_svg(chart);
}

}  // namespace

void add_pairs(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.grade_pairs.empty()) return;
    html.print(
        "<h2 id=\"pairs\">Pairs of documents</h2>\n<p class=\"soft\">The share of pairs of "
        "documents of two grades that stand in the wrong order on {}, over all queries together; "
        "equal scores count one half. A learner of the measure makes fewer errors where they "
        "count, between the best grade and the others; one of pairs makes fewer in sum.</p>\n",
        measured_part(findings));
    add_pair_table(html, findings);
    add_group_table(html, findings);
    html.add(
        "<p class=\"soft\">Queries with many pairs weigh most in a sum over pairs, and as much as "
        "any other in the measure.</p>\n");
}

void add_bounds(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (!findings.bounds) return;
    html.print(
        "<h2 id=\"bounds\">Loss of the measure, and its bounds</h2>\n<p class=\"soft\">Some "
        "learners minimise a bound of 1 - {0}: type one is a function of the measure alone "
        "(adarank: exponential), type two compares perfect with other rankings (svm-map, "
        "permurank). What was learned loses {1:.4f} of {0}, the mean of {2} queries; a tight bound "
        "is near to that.</p>\n",
        escape_html(findings.measures[0]), findings.bounds->loss, findings.bounds->queries);
    add_bound_table(html, *findings.bounds, false);
    if (findings.enumerated) {
        html.print(
            "<p class=\"soft\">Type two bounds take every ranking of a query. On the {} queries "
            "with few enough the loss is {:.4f}:</p>\n",
            findings.enumerated->queries, findings.enumerated->loss);
        add_bound_table(html, *findings.enumerated, true);
    }
    if (!findings.two_rankers) return;
    html.add("<h3>All weights of the two rankers</h3>\n");
    add_chart(html, weights_chart(report), "the measure by weight");
}

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/eval_report.h"
#include "braid/cli/report/train_page_parts.h"

namespace braid::cli {
namespace {

using Kind = MeasuredSystem::Kind;
using Part = TrainingFindings::Part;

constexpr std::size_t kSystemsShown = 12;

void add_parts_table(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    const ModelProvenance& provenance = report.trained.model.provenance;
    const LearningRecord& learning = provenance.learning;
    const bool is_held_out = findings.part != Part::kTraining;
    begin_scroll(html, "measures by part");
    html.add(
        "<table><thead><tr><th scope=\"col\">what was learned</th><th scope=\"col\">training"
        "</th>");
    if (!learning.validation.empty()) html.add("<th scope=\"col\">validation</th>");
    if (is_held_out) html.print("<th scope=\"col\">{}</th>", measured_part(findings));
    html.add("</tr></thead><tbody>\n");
    const auto cell = [&](const std::map<std::string, double>& means, const std::string& measure) {
        const auto found = means.find(measure);
        html.print("<td>{}</td>",
                   found != means.end() ? fmt::format("{:.4f}", found->second) : "-");
    };
    for (std::size_t m = 0; m < findings.measures.size(); ++m) {
        const std::string& measure = findings.measures[m];
        html.print("<tr><th scope=\"row\">{}</th>", measure);
        cell(learning.measures, measure);
        if (!learning.validation.empty()) cell(learning.validation, measure);
        if (is_held_out) html.print("<td>{:.4f}</td>", findings.systems[0].means[m]);
        html.add("</tr>\n");
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

void add_comparison(Html& html, const BaselineComparison& comparison, double reach) {
    const bool has_interval = std::isfinite(comparison.interval.low);
    html.print("<td>{:+.4f}</td><td class=\"middle\">", comparison.difference);
    if (has_interval) {
        html.print("{}<small class=\"soft\">{:+.4f} .. {:+.4f}</small>",
                   interval_svg(comparison.difference, comparison.interval, reach),
                   comparison.interval.low, comparison.interval.high);
    }
    html.print("</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", comparison.better,
               comparison.worse, escape_html(p_text(comparison.p)),
               escape_html(p_text(comparison.p_adjusted)));
}

double reach_of(const TrainingFindings& findings) {
    double reach = 0;
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        const BaselineComparison* comparison = comparison_with(findings, s);
        if (comparison == nullptr) continue;
        for (const double end : {comparison->interval.low, comparison->interval.high}) {
            if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
        }
    }
    return reach;
}

// The learned function, the ceiling and what needs no learning, then rankers by how good they are.
std::vector<std::size_t> system_order(const TrainingFindings& findings) {
    std::vector<std::size_t> order;
    for (const Kind kind :
         {Kind::kLearned, Kind::kOracle, Kind::kFixed, Kind::kBefore, Kind::kUniform}) {
        for (std::size_t s = 0; s < findings.systems.size(); ++s) {
            if (findings.systems[s].kind == kind) order.push_back(s);
        }
    }
    const auto first = order.size();
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        if (findings.systems[s].kind == Kind::kSingle) order.push_back(s);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                     [&](std::size_t a, std::size_t b) {
                         return findings.systems[a].means[0] > findings.systems[b].means[0];
                     });
    return order;
}

void add_system_table(Html& html, const TrainingFindings& findings,
                      const std::vector<std::size_t>& systems) {
    begin_scroll(html, "measures of systems");
    html.add("<table class=\"sortable systems\"><thead><tr><th scope=\"col\">system</th>");
    for (const std::string& measure : findings.measures) {
        html.print("<th scope=\"col\">{}</th>", measure);
    }
    html.add(
        "<th scope=\"col\">learned is</th><th scope=\"col\" class=\"middle\">95 % interval"
        "</th><th scope=\"col\">better</th><th scope=\"col\">worse</th><th scope=\"col\">p"
        "</th><th scope=\"col\">corrected p</th></tr></thead><tbody>\n");
    const double reach = reach_of(findings);
    for (const std::size_t s : systems) {
        const MeasuredSystem& system = findings.systems[s];
        html.print("<tr><th scope=\"row\"{}>{}</th>", s == 0 ? " class=\"best\"" : "",
                   escape_html(system_title(findings, s)));
        for (const double mean : system.means) html.print("<td>{:.4f}</td>", mean);
        const BaselineComparison* comparison = comparison_with(findings, s);
        if (comparison != nullptr) {
            add_comparison(html, *comparison, reach);
        } else {
            html.add("<td></td><td></td><td></td><td></td><td></td><td></td>");
        }
        html.add("</tr>\n");
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

}  // namespace

void add_systems(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.systems.empty()) return;
    html.add("<h2 id=\"measures\">Measures</h2>\n");
    add_parts_table(html, report);
    html.print("<h3>On {}, {} queries</h3>\n", measured_part(findings), findings.queries.size());
    const std::vector<std::size_t> order = system_order(findings);
    const std::size_t shown = std::min(order.size(), kSystemsShown);
    add_system_table(html, findings, {order.begin(), order.begin() + shown});
    if (shown < order.size()) {
        html.print("<details><summary>{} rankers that do worse</summary>", order.size() - shown);
        add_system_table(html, findings, {order.begin() + shown, order.end()});
        html.add("</details>\n");
    }
    html.print(
        "<p class=\"soft\">Differences, intervals and p values are of {}; corrected by Holm's "
        "method over uniform weights and all rankers. The best single ranker is the best on these "
        "very queries, which nobody knows beforehand. The ceiling has for each query the weights "
        "from 0 up that a search with its judgements finds best for it: fixed weights from 0 up "
        "stay below; negative ones can be above it for a query.</p>\n",
        findings.measures[0], findings.baselines.size());
    html.add(
        "<h2 id=\"precision\">Precision and recall</h2><p class=\"soft\">Interpolated "
        "precision at eleven points of recall, the mean over the same queries.</p>\n");
    add_chart(html, precision_chart(report), "precision and recall");
}

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/eval_report.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

using Kind = MeasuredSystem::Kind;

// Headings of sortable tables become buttons; without scripts the table is as it is.
constexpr const char* kScript = R"(
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const up = cell.getAttribute("aria-sort") === "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const order = (a, b) => {
        const x = key(a), y = key(b), d = parseFloat(x) - parseFloat(y);
        return isNaN(d) ? x.localeCompare(y, undefined, {numeric: true}) : d;
      };
      const rows = [...body.rows].sort((a, b) => up ? order(a, b) : order(b, a));
      body.append(...rows);
    });
  });
}
)";

std::string page_title(const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    const std::string& learner = report.trained.model.provenance.learner;
    const TrainCommand& command = report.command;
    const std::string source = command.from_database() ? command.queries.name() : command.letor;
    const std::string name = source.substr(source.rfind('/') + 1);
    if (findings.systems.empty()) return fmt::format("{} on {}", learner, name);
    return fmt::format("{} on {}: {} {:.4f}", learner, name, findings.measures[0],
                       findings.systems[0].means[0]);
}

void fact(Html& html, const std::string& title, double value, const std::string& below) {
    html.print("<li>{}<b>{:.4f}</b><small>{}</small></li>", escape_html(title), value,
               escape_html(below));
}

std::string difference_text(const BaselineComparison& comparison) {
    return fmt::format("learned is {:+.4f}, p {}", comparison.difference, p_text(comparison.p));
}

void add_facts(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.systems.empty()) return;
    html.add("<ul class=\"facts\">");
    fact(html, "learned", findings.systems[0].means[0],
         findings.measures[0] + " on " + measured_part(findings));
    const std::size_t best = findings.best_single;
    fact(html, system_title(findings, best), findings.systems[best].means[0],
         difference_text(findings.baselines[best - 1]));
    fact(html, system_title(findings, 1), findings.systems[1].means[0],
         difference_text(findings.baselines[0]));
    if (const MeasuredSystem* oracle = findings.system(Kind::kOracle)) {
        fact(html, "ceiling", oracle->means[0], "best weights of each query alone");
    }
    html.add("</ul>\n");
}

void add_counts(Html& html, const TrainReport& report) {
    const LearningRecord& learning = report.trained.model.provenance.learning;
    const TrainingCounts& counts = report.counts;
    html.print(
        "<p class=\"soft\">Learned from {} queries, {} documents, {} of them judged, {} rankers; "
        "{} queries can tell weights apart.",
        learning.queries, learning.documents, learning.judgements,
        report.trained.model.rankers.size(), counts.useful_queries);
    const std::pair<std::size_t, const char*> skipped[] = {
        {counts.queries - counts.judged_queries, "not judged"},
        {counts.without_relevant, "without a relevant document"},
        {counts.relevant_unpooled, "with all relevant ones outside the pool"},
        {counts.without_irrelevant, "with nothing but relevant ones"}};
    std::string others;
    for (const auto& [count, what] : skipped) {
        if (count > 0) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", count, what);
    }
    if (!others.empty()) html.print(" The others: {}.", others);
    html.print(" Learning took {} iterations and ended: {}.</p>\n", learning.iterations,
               escape_html(learning.stop_reason));
}

void add_verdicts(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    for (const std::string& sentence : verdicts(findings)) {
        html.print("<p>{}</p>\n", escape_html(sentence));
    }
    if (findings.systems.empty()) {
        html.add("<p>Without judgements there is nothing to measure by.</p>\n");
    }
}

void add_warnings(Html& html, const ReportFacts& facts) {
    html.add("<h2 id=\"warnings\">Warnings</h2>\n");
    if (facts.warnings.empty()) {
        html.add("<p class=\"soft\">None.</p>\n");
        return;
    }
    html.add("<ul>");
    for (const std::string& warning : facts.warnings) {
        html.print("<li class=\"wrap\">{}</li>", escape_html(warning));
    }
    html.add("</ul>\n");
}

void add_settings(Html& html, const TrainReport& report, const ReportFacts& facts) {
    html.add("<h2 id=\"settings\">Settings</h2>\n");
    begin_scroll(html, "settings");
    html.add(
        "<table><thead><tr><th scope=\"col\">setting</th><th scope=\"col\" class=\"wrap\">"
        "value</th></tr></thead><tbody>\n");
    for (const auto& [name, value] : settings_of_report(report)) {
        html.print("<tr><th scope=\"row\">{}</th><td class=\"wrap\">{}</td></tr>\n",
                   escape_html(name), escape_html(value));
    }
    html.add("</tbody></table>");
    end_scroll(html);
    html.print(
        "<p>To do it again:</p><pre>{}</pre>\n<p class=\"soft\">braid {}, finished {}, after "
        "{:.1f} s, {:.1f} s of processors. The same input, settings and seed give the same model "
        "at any number of threads.</p>\n",
        escape_html(shell_line(facts.arguments)), escape_html(facts.version),
        escape_html(facts.finished), facts.seconds, facts.processor_seconds);
}

}  // namespace

void begin_scroll(Html& html, const std::string& label) {
    html.print("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">",
               escape_html(label));
}

void end_scroll(Html& html) { html.add("</div>\n"); }

void add_chart(Html& html, const std::string& chart, const std::string& label) {
    if (chart.empty()) return;
    begin_scroll(html, label);
    html.print("<div class=\"line\">{}</div>", chart);
    end_scroll(html);
}

std::string train_page(const TrainReport& report, const ReportFacts& facts) {
    Html html;
    html.begin(page_title(report));
    add_counts(html, report);
    add_facts(html, report);
    add_verdicts(html, report);
    add_systems(html, report);
    add_weights(html, report);
    if (report.calibration) add_calibration(html, *report.calibration);
    add_adaptive(html, report);
    add_rankers(html, report);
    add_pairs(html, report);
    add_loss(html, report);
    add_bounds(html, report);
    add_queries(html, report);
    add_warnings(html, facts);
    add_settings(html, report, facts);
    html.print("<script>{}</script></main></body></html>\n", kScript);
    return html.take();
}

namespace {

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

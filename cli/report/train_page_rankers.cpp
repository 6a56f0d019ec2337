// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

void add_weight_table(Html& html, const std::vector<RankerWeights>& rankers) {
    const bool has_folds = rankers[0].folds.has_value();
    begin_scroll(html, "weights");
    html.add(
        "<table class=\"sortable\"><thead><tr><th scope=\"col\">ranker</th><th scope=\"col\">"
        "in the model</th><th scope=\"col\">as learned</th>");
    if (has_folds) {
        html.add(
            "<th scope=\"col\">mean of folds</th><th scope=\"col\">deviation</th>"
            "<th scope=\"col\">least .. most</th>");
    }
    html.add(
        "<th scope=\"col\" style=\"text-align:left\">share of the score</th></tr></thead>"
        "<tbody>\n");
    double largest = 1e-9;
    for (const RankerWeights& ranker : rankers) largest = std::max(largest, ranker.share);
    for (const RankerWeights& ranker : rankers) {
        html.print("<tr><th scope=\"row\">{}</th><td>{:.5g}</td><td>{:.4f}</td>",
                   escape_html(ranker.name), ranker.served, ranker.learned);
        if (has_folds) {
            html.print("<td>{:.4f}</td><td>{:.4f}</td><td>{:.4f} .. {:.4f}</td>",
                       ranker.folds->mean, ranker.folds->deviation, ranker.folds->least,
                       ranker.folds->most);
        }
        html.print(
            "<td style=\"text-align:left\" data-v=\"{:.6f}\">{:.1f} %<span class=\"bar\" "
            "style=\"width:{:.0f}px\"></span></td></tr>\n",
            ranker.share, 100 * ranker.share, 120 * ranker.share / largest);
    }
    html.add("</tbody></table>");
    end_scroll(html);
    html.add(
        "<p class=\"soft\">In the model: of raw scores. As learned: of scores as the learner "
        "saw them, normalised and scaled, so that rankers can be compared. Share: the weight "
        "times how much the ranker's scores spread. Weights that differ much between folds "
        "are not to be relied on one by one: rankers that are alike can stand for each "
        "other.</p>\n");
}

void add_fold_table(Html& html, const CrossValidation& folds) {
    html.add("<details><summary>Folds</summary>");
    begin_scroll(html, "folds");
    html.add(
        "<table class=\"sortable\"><thead><tr><th scope=\"col\">seed</th><th scope=\"col\">"
        "fold</th><th scope=\"col\">queries</th><th scope=\"col\">training</th>"
        "<th scope=\"col\">held out</th><th scope=\"col\">iterations</th>"
        "<th scope=\"col\" class=\"wrap\">ended</th></tr></thead><tbody>\n");
    for (const FoldResult& fold : folds.folds) {
        html.print(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.4f}</td><td>{:.4f}</td>"
            "<td>{}</td><td class=\"wrap\">{}</td></tr>\n",
            fold.seed, fold.fold + 1, fold.test_queries, fold.train, fold.test, fold.iterations,
            escape_html(fold.stop_reason));
    }
    html.add("</tbody></table>");
    end_scroll(html);
    html.add("</details>\n");
}

void add_curves(Html& html, const TrainReport& report) {
    const std::string measure = learning_chart(report);
    const std::string objective = objective_chart(report);
    html.add("<h2 id=\"curves\">Learning curves</h2>\n");
    if (measure.empty() && objective.empty()) {
        html.add("<p class=\"soft\">This learner gets to its result in one step.</p>\n");
        return;
    }
    html.add(
        "<p class=\"soft\">After each step of the learner, over the queries on which "
        "something can score. Queries that are held out are only watched. Where their line "
        "falls while the other rises, fewer steps or a pull towards uniform weights would be "
        "better.</p>\n");
    add_chart(html, measure, "learning curves");
    const std::string starts = start_chart(report);
    if (!starts.empty()) {
        html.add(
            "<h3>From each start</h3><p class=\"soft\">The fit to all training queries, by the "
            "weights it began with; the best end is the result.</p>\n");
        add_chart(html, starts, "learning curves by start");
    }
    if (!objective.empty()) {
        html.print("<h3>What is optimised: {}</h3>\n",
                   escape_html(report.trained.result.objective_name));
        add_chart(html, objective, "objective by iteration");
    }
}

void add_distance_table(Html& html, const TrainingFindings& findings) {
    const std::size_t size = findings.mapped.size();
    begin_scroll(html, "distances between rankers");
    html.add("<table class=\"heat\"><thead><tr><td></td>");
    for (const std::string& name : findings.mapped) {
        html.print("<th scope=\"col\">{}</th>", escape_html(name));
    }
    html.add("</tr></thead><tbody>\n");
    for (std::size_t i = 0; i < size; ++i) {
        html.print("<tr><th scope=\"row\">{}</th>", escape_html(findings.mapped[i]));
        for (std::size_t j = 0; j < size; ++j) {
            const double distance = findings.distances[i * size + j];
            // ".25", and "1" for 1: there may be many columns.
            const std::string text = fmt::format("{:.2f}", distance);
            html.print("<td style=\"--v:{:.2f}\">{}</td>", distance,
                       distance < 0.995 ? text.substr(1) : "1");
        }
        html.add("</tr>\n");
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

// Rounding leaves a little of either sign.
double without_rounding(double value) { return std::abs(value) < 5e-5 ? 0 : value; }

void add_loss_row(Html& html, const char* name, const LossTerms& terms) {
    html.print(
        "<tr><th scope=\"row\">{}</th><td>{:.4g}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td>"
        "<td>{:.4f}</td><td>{:.4f}</td></tr>\n",
        name, terms.weight_sum, terms.ensemble, terms.rankers, terms.ambiguity,
        without_rounding(terms.sum_term), terms.diversity);
}

}  // namespace

void add_weights(Html& html, const TrainReport& report) {
    html.add("<h2 id=\"weights\">What was learned</h2>\n");
    const std::vector<RankerWeights> rankers = ranker_weights(report);
    if (!rankers.empty()) {
        add_weight_table(html, rankers);
    } else {
        html.print(
            "<p>A function of the form {}, which has no weights that are the same for all "
            "queries.</p>\n",
            escape_html(report.trained.model.function.form));
    }
    if (report.folds) add_fold_table(html, *report.folds);
    add_curves(html, report);
}

void add_rankers(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.mapped.size() < 2) return;
    html.print(
        "<h2 id=\"rankers\">How rankers differ</h2>\n<p class=\"soft\">The distance of two "
        "rankers: one minus the share of documents that their first l have in common, the mean "
        "over l = 1 .. {} and queries. 0: the same lists, 1: nothing in common. Rankers that "
        "differ and are good make an ensemble worth its while; copies do not.</p>\n",
        findings.depth);
    add_distance_table(html, findings);
    const std::string map = ranker_chart(report);
    if (map.empty()) return;
    html.print(
        "<h3>Map of the rankers</h3><p class=\"soft\">Drawn so that distances on paper are "
        "near to those in the table; it shows {:.0f} % of them, by squares. Dots are as "
        "large as a ranker's share of the score; what was learned is orange.</p>\n",
        100 * findings.map.share);
    add_chart(html, map, "map of the rankers");
}

void add_loss(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (!findings.uniform_loss) return;
    html.print(
        "<h2 id=\"loss\">The loss, taken apart</h2>\n<p class=\"soft\">The loss of the ensemble "
        "(Plackett-Luce, {} queries) = the mean loss of the rankers by their weights - ambiguity "
        "- a term that is 0 where weights sum to 1, or where no other scale of the ensemble's "
        "scores "
        "lowers the loss. Weights are those that the learner had; a model keeps their shares, "
        "which "
        "rank alike. An ensemble is better than its rankers by as much as they disagree: by the "
        "ambiguity. The diversity estimates it from scores alone.</p>\n",
        findings.uniform_loss->queries);
    begin_scroll(html, "terms of the loss");
    html.add(
        "<table><thead><tr><th scope=\"col\">weights</th><th scope=\"col\">their sum</th>"
        "<th scope=\"col\">loss of the "
        "ensemble</th><th scope=\"col\">= mean of rankers</th><th scope=\"col\">- ambiguity"
        "</th><th scope=\"col\">- term of the sum</th><th scope=\"col\">diversity</th></tr>"
        "</thead><tbody>\n");
    if (findings.loss) add_loss_row(html, "learned", *findings.loss);
    add_loss_row(html, "uniform", *findings.uniform_loss);
    html.add("</tbody></table>");
    end_scroll(html);
    if (!findings.loss) {
        html.add(
            "<p class=\"soft\">What was learned is no weighted sum of rankers, or its weights "
            "sum to 0.</p>\n");
    }
}

// Sections of the training page on what the measure loses, and where: by pairs of grades, by groups
// of queries, and against the bounds that learners minimise.

std::vector<QueryGroup> query_groups(const TrainingFindings& findings) {
    if (findings.unequal_pairs.empty()) return {};
    const double most =
        *std::max_element(findings.unequal_pairs.begin(), findings.unequal_pairs.end());
    double step = axis_step(std::max(most, 1.0));
    while (most / step > 12) step *= 2;
    std::vector<QueryGroup> groups;
    for (std::size_t i = 0; static_cast<double>(i) * step <= most; ++i) {
        const double from = static_cast<double>(i) * step;
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

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
        "<tr><th scope=\"row\">{}</th><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td>"
        "<td>{:.4f}</td><td>{:.4f}</td></tr>\n",
        name, terms.ensemble, terms.rankers, terms.ambiguity, without_rounding(terms.sum_term),
        terms.diversity);
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
        "- a term that is 0 where weights sum to 1. An ensemble is better than its rankers by as "
        "much as they disagree: by the ambiguity. The diversity estimates it from scores "
        "alone.</p>\n",
        findings.uniform_loss->queries);
    begin_scroll(html, "terms of the loss");
    html.add(
        "<table><thead><tr><th scope=\"col\">weights</th><th scope=\"col\">loss of the "
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

}  // namespace braid::cli

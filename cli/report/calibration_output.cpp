// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report/calibration_output.h"

#include <fmt/format.h>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

Json in_json(const Reliability& part) {
    Json bins = Json::array();
    for (const Reliability::Bin& bin : part.bins) {
        bins.push_back({{"documents", bin.documents},
                        {"probability", bin.probability},
                        {"relevant", bin.relevant}});
    }
    return {{"documents", part.documents},
            {"judged", part.judged},
            {"relevant", part.relevant},
            {"brier", part.brier},
            {"constant_brier", part.constant_brier},
            {"log_loss", part.log_loss},
            {"expected_calibration_error", part.error},
            {"bins", std::move(bins)}};
}

std::string where(const CalibrationFindings& findings) {
    return findings.is_of_test ? fmt::format("{} test queries", findings.measured_on)
                               : fmt::format("{} held-out queries, each by a fit to other ones",
                                             findings.measured_on);
}

double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::string of_pools(const CalibrationFindings& findings) {
    const Reliability& top = findings.reliability;
    const double judged = share(top.judged, top.documents);
    if (top.judged == top.documents) return "";
    return fmt::format(
        "{:.0f} % of each query's first ten were judged; the others count as irrelevant, so "
        "probabilities are lower bounds",
        100 * judged);
}

ChartLine line_of(const Reliability& part, const std::string& label, const std::string& kind) {
    ChartLine line = {.label = label, .xs = {}, .ys = {}, .kind = kind, .dots = true};
    for (const Reliability::Bin& bin : part.bins) {
        line.xs.push_back(bin.probability);
        line.ys.push_back(bin.relevant);
    }
    return line;
}

}  // namespace

Json calibration_json(const CalibrationFindings& findings) {
    return {{"method", findings.method},
            {"fitted_to_queries", findings.queries},
            {"measured_on", findings.is_of_test ? "test queries" : "held-out queries"},
            {"measured_queries", findings.measured_on},
            {"first_ten", in_json(findings.reliability)},
            {"scores", findings.calibration.scores},
            {"probabilities", findings.calibration.probabilities}};
}

std::string calibration_text(const CalibrationFindings& findings) {
    const Reliability& found = findings.reliability;
    std::string text = fmt::format(
        "probability of relevance, {}, fitted to {} held-out queries; of each query's first ten:\n"
        "expected calibration error {:.4f}, Brier score {:.4f} ({:.4f} for the constant {:.3f}); "
        "measured on {}\n",
        findings.method, findings.queries, found.error, found.brier, found.constant_brier,
        share(found.relevant, found.documents), where(findings));
    const std::string pools = of_pools(findings);
    if (!pools.empty()) text += pools + "\n";
    if (found.brier >= found.constant_brier) {
        text +=
            "these scores say no more than the constant does: too few queries held out, or "
            "scores that don't compare between queries\n";
    }
    return text;
}

std::string reliability_chart(const CalibrationFindings& findings) {
    LineChart chart = {.title = "Share of relevant documents over their probability",
                       .x_label = "probability, mean of a bin",
                       .y_label = "share of relevant documents",
                       .x_range = {0, 1},
                       .y_range = {0, 1},
                       .lines = {}};
    chart.lines.push_back(line_of(findings.reliability, "first ten of each query", "c0"));
    chart.lines.push_back(
        {.label = "as it should be", .xs = {0, 1}, .ys = {0, 1}, .kind = "c2 dashed"});
    return line_chart_svg(chart);
}

void add_calibration(Html& html, const CalibrationFindings& findings) {
    html.add("<h2 id=\"calibration\">Probabilities of relevance</h2>\n");
    html.print(
        "<p>A score says how probably its document is relevant ({}, fitted to {} held-out "
        "queries). Measured on {}:</p>\n",
        findings.method, findings.queries, where(findings));
    begin_scroll(html, "calibration");
    html.add(
        "<table><thead><tr><th scope=\"col\">documents</th><th scope=\"col\">number</th>"
        "<th scope=\"col\">relevant</th><th scope=\"col\">expected calibration error</th>"
        "<th scope=\"col\">Brier score</th><th scope=\"col\">Brier score of a constant</th>"
        "</tr></thead><tbody>\n");
    const Reliability& found = findings.reliability;
    html.print(
        "<tr><th scope=\"row\">the first ten of each "
        "query</th><td>{}</td><td>{}</td><td>{:.4f}</td>"
        "<td>{:.4f}</td><td>{:.4f}</td></tr>\n",
        found.documents, found.relevant, found.error, found.brier, found.constant_brier);
    html.add("</tbody></table>");
    end_scroll(html);
    add_chart(html, reliability_chart(findings), "reliability");
    const std::string pools = of_pools(findings);
    if (!pools.empty()) html.print("<p class=\"soft\">{}.</p>\n", escape_html(pools));
}

}  // namespace braid::cli

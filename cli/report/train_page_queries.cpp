// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

using Kind = MeasuredSystem::Kind;

constexpr double kRounding = 1e-12;
constexpr std::size_t kMostChanged = 10;
constexpr std::size_t kWeightsShown = 3;

struct Column {
    std::string title;
    const std::vector<double>* values;
};

// The systems that queries are shown for.
std::vector<Column> columns_of(const TrainingFindings& findings) {
    std::vector<Column> columns;
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        const MeasuredSystem& system = findings.systems[s];
        if (system.kind == Kind::kSingle && s != findings.best_single) continue;
        const std::string title = system.kind == Kind::kOracle    ? "ceiling"
                                  : system.kind == Kind::kUniform ? "uniform"
                                  : system.kind == Kind::kFixed   ? "fixed, " + system.name
                                  : system.kind == Kind::kSingle  ? ranker_title(system.name)
                                                                  : system.name;
        columns.push_back({title, &system.values});
    }
    return columns;
}

void add_differences(Html& html, const TrainingFindings& findings, std::size_t system,
                     const std::string& heading) {
    BarScale scale = {.has_sign = true};
    std::vector<QueryBar> bars;
    bool differs = false;
    for (std::size_t q = 0; q < findings.queries.size(); ++q) {
        const double difference =
            findings.systems[0].values[q] - findings.systems[system].values[q];
        scale.include(difference);
        differs = differs || std::abs(difference) > kRounding;
        bars.push_back({"query " + findings.queries[q], difference});
    }
    html.print("<h3>{}</h3>\n", escape_html(heading));
    if (!differs) {
        html.add("<p class=\"soft\">No query differs.</p>\n");
        return;
    }
    begin_scroll(html, heading);
    html.add(bars_svg(std::move(bars), scale, heading));
    end_scroll(html);
}

class QueryTables {
  public:
    QueryTables(Html& html, const TrainingFindings& findings)
        : html_(html), findings_(findings), columns_(columns_of(findings)) {}

    void rows(const std::string& label, const std::vector<std::size_t>& queries, bool is_sortable) {
        begin_scroll(html_, label);
        html_.print(
            "<table class=\"values{}\"><thead><tr><th scope=\"col\">query</th>"
            "<th scope=\"col\">relevant</th><th scope=\"col\">documents</th>",
            is_sortable ? " sortable" : "");
        for (const Column& column : columns_) {
            html_.print("<th scope=\"col\">{}</th>", escape_html(column.title));
        }
        html_.print(
            "<th scope=\"col\">minus {}</th><th scope=\"col\">minus uniform</th></tr>"
            "</thead><tbody>\n",
            escape_html(ranker_title(findings_.systems[findings_.best_single].name)));
        for (const std::size_t q : queries) row(q);
        html_.add("</tbody></table>");
        end_scroll(html_);
    }

  private:
    void row(std::size_t q) {
        html_.print("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>",
                    escape_html(findings_.queries[q]), findings_.relevant[q],
                    findings_.documents[q]);
        for (const Column& column : columns_) {
            html_.print("<td style=\"--v:{0:.3f}\">{0:.4f}</td>", (*column.values)[q]);
        }
        const double learned = findings_.systems[0].values[q];
        for (const std::size_t s : {findings_.best_single, std::size_t{1}}) {
            const double difference = learned - findings_.systems[s].values[q];
            const char* kind = difference > 0 ? "up" : difference < 0 ? "down" : "soft";
            html_.print("<td class=\"{}\">{:+.4f}</td>", kind, difference);
        }
        html_.add("</tr>\n");
    }

    Html& html_;
    const TrainingFindings& findings_;
    std::vector<Column> columns_;
};

// "lsa: 0.41, bm25: 0.30, dph: 0.12"
std::string largest_weights(const std::vector<double>& weights,
                            const std::vector<std::string>& names) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < weights.size(); ++k) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(weights[a]) > std::abs(weights[b]);
    });
    order.resize(std::min(order.size(), kWeightsShown));
    std::string text;
    for (const std::size_t k : order) {
        text += fmt::format("{}{}: {:.2f}", text.empty() ? "" : ", ", names[k], weights[k]);
    }
    return text;
}

void add_changed(Html& html, const TrainingFindings& findings, const MeasuredSystem& fixed) {
    const MeasuredSystem* oracle = findings.system(Kind::kOracle);
    std::vector<std::size_t> order;
    for (std::size_t q = 0; q < findings.queries.size(); ++q) {
        if (findings.systems[0].values[q] != fixed.values[q]) order.push_back(q);
    }
    const auto gain = [&](std::size_t q) {
        return findings.systems[0].values[q] - fixed.values[q];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
    if (order.size() > 2 * kMostChanged) {
        order.erase(order.begin() + kMostChanged, order.end() - kMostChanged);
    }
    if (order.empty()) return;
    html.add("<h3>Queries that weights of their own help and harm most</h3>\n");
    begin_scroll(html, "queries with weights of their own");
    html.print(
        "<table class=\"sortable\"><thead><tr><th scope=\"col\">query</th><th scope=\"col\">"
        "by query</th><th scope=\"col\">fixed</th>{}<th scope=\"col\">gain</th>"
        "<th scope=\"col\" class=\"wrap\">its largest weights</th></tr></thead><tbody>\n",
        oracle != nullptr ? "<th scope=\"col\">ceiling</th>" : "");
    for (const std::size_t q : order) {
        html.print("<tr><th scope=\"row\">{}</th><td>{:.4f}</td><td>{:.4f}</td>",
                   escape_html(findings.queries[q]), findings.systems[0].values[q],
                   fixed.values[q]);
        if (oracle != nullptr) html.print("<td>{:.4f}</td>", oracle->values[q]);
        html.print("<td class=\"{}\">{:+.4f}</td><td class=\"wrap\">{}</td></tr>\n",
                   gain(q) > 0 ? "up" : "down", gain(q),
                   escape_html(largest_weights(findings.adaptive->weights[q], findings.mapped)));
    }
    html.add("</tbody></table>");
    end_scroll(html);
}

void add_query_features(Html& html, const AdaptiveFindings& adaptive) {
    if (adaptive.features.empty()) return;
    html.add("<h3>What queries are like where it helps and where it harms</h3>\n");
    begin_scroll(html, "query features");
    html.add(
        "<table class=\"sortable\"><thead><tr><th scope=\"col\">query feature</th>"
        "<th scope=\"col\">helped</th><th scope=\"col\">harmed</th></tr></thead><tbody>\n");
    for (const AdaptiveFindings::Feature& feature : adaptive.features) {
        html.print("<tr><th scope=\"row\">{}</th><td>{:+.2f}</td><td>{:+.2f}</td></tr>\n",
                   escape_html(feature.name), feature.helped, feature.harmed);
    }
    html.add("</tbody></table>");
    end_scroll(html);
    html.add("<p class=\"soft\">Means, in standard deviations from the mean of all queries.</p>\n");
}

}  // namespace

void add_adaptive(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (!findings.adaptive) return;
    const AdaptiveFindings& adaptive = *findings.adaptive;
    html.print("<h2 id=\"by-query\">Weights by query</h2>\n<p class=\"verdict{}\">{}</p>\n",
               adaptive.helps ? "" : " no", escape_html(adaptive_verdict(findings)));
    const MeasuredSystem& fixed = *findings.system(Kind::kFixed);
    const MeasuredSystem* oracle = findings.system(Kind::kOracle);
    const double room = oracle != nullptr ? oracle->means[0] - fixed.means[0] : 0;
    if (room > 1e-9) {
        html.print(
            "<p>Fixed weights have {:.4f}, the ceiling {:.4f}: weights by query take {:.0f} "
            "% of what there is between them.</p>\n",
            fixed.means[0], oracle->means[0], 100 * adaptive.gain.difference / room);
    }
    const auto place = static_cast<std::size_t>(&fixed - findings.systems.data());
    add_differences(html, findings, place,
                    fmt::format("{} by query minus fixed weights ({})", findings.measures[0],
                                adaptive.fixed_learner));
    add_changed(html, findings, fixed);
    add_query_features(html, adaptive);
}

void add_queries(Html& html, const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.queries.empty()) return;
    html.add("<h2 id=\"queries\">Queries</h2>\n");
    const std::string single = ranker_title(findings.systems[findings.best_single].name);
    add_differences(
        html, findings, findings.best_single,
        fmt::format("{} of what was learned minus {}, by query", findings.measures[0], single));
    const std::vector<std::size_t> order = queries_by_gain(findings);
    const std::size_t shown = std::min(kMostChanged, order.size() / 2);
    QueryTables tables(html, findings);
    if (shown > 0) {
        const auto count = static_cast<std::ptrdiff_t>(shown);
        html.print("<h3>Lose most against {}</h3>\n", escape_html(single));
        tables.rows("queries that lose most", {order.begin(), order.begin() + count}, false);
        html.print("<h3>Gain most over {}</h3>\n", escape_html(single));
        tables.rows("queries that gain most", {order.rbegin(), order.rbegin() + count}, false);
    }
    std::vector<std::size_t> all(findings.queries.size());
    for (std::size_t q = 0; q < all.size(); ++q) all[q] = q;
    html.print("<details><summary>All {} queries</summary>", all.size());
    tables.rows("all queries", all, true);
    html.add("</details>\n");
}

}  // namespace braid::cli

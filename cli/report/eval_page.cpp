// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/eval_report.h"
#include "braid/cli/report/html.h"
#include "braid/error.h"

namespace braid::cli {
namespace {

constexpr std::size_t kMostDifferent = 15;

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// Builds the page from top to bottom. Holds only what several parts need.
class Page {
  public:
    explicit Page(const EvalReport& report) : report_(report), queries_(all_queries(report)) {
        for (const EvaluatedRun& run : report.runs) {
            places_.push_back(places_of(report, run.evaluation));
            labels_.push_back(run.label);
        }
    }

    std::string build() {
        head();
        summary();
        curves();
        add("<h2>By measure</h2>");
        tabs();
        for (std::size_t m = 0; m < report_.measures.size(); ++m) panel(m);
        add("</main></body></html>\n");
        return html_.take();
    }

  private:
    void add(std::string_view html) { html_.add(html); }

    template <typename... Values>
    void print(fmt::format_string<Values...> format, Values&&... values) {
        html_.print(format, std::forward<Values>(values)...);
    }

    // -1 where the query was not evaluated for the run.
    double value(std::size_t run, std::size_t measure, std::size_t query) const {
        const std::size_t place = places_[run][query];
        return place == kNotEvaluated ? -1 : report_.runs[run].evaluation.values[measure][place];
    }

    std::string key(std::size_t run) const {
        return fmt::format(R"(<span class="key {}"></span>{})", line_class(run),
                           escape_html(labels_[run]));
    }

    void head() {
        const EvalSettings& settings = report_.settings;
        const std::size_t count = report_.runs.size();
        const std::string title =
            fmt::format("{} run{} measured against {}", count, count == 1 ? "" : "s",
                        file_name(settings.qrels.name()));
        html_.begin(title, tab_rules());
        print(
            "<p class=\"soft\">{} judged queries, {} judged documents, {} of them relevant "
            "(grade {} and above). A judged query that a run lacks {}; one without a relevant "
            "document {}.</p>\n",
            report_.judgements.queries().size(), report_.judgements.size(), report_.relevant,
            settings.evaluation.measure.relevant_from,
            settings.evaluation.missing == MissingQueries::kZero ? "counts 0" : "is left out",
            settings.evaluation.skip_empty ? "is left out" : "counts 0");
    }

    // Which panel shows is decided by a checked radio button: no script is needed.
    std::string tab_rules() const {
        std::string rules;
        for (std::size_t m = 0; m < report_.measures.size(); ++m) {
            rules += fmt::format(
                "#t{0}:checked~#p{0}{{display:block}}#t{0}:checked~.tabs label[for=t{0}]"
                "{{background:var(--tint);border-color:var(--soft);font-weight:600}}"
                "#t{0}:focus-visible~.tabs label[for=t{0}]{{outline:2px solid var(--up)}}\n",
                m);
        }
        return rules;
    }

    void summary() {
        add("<h2>Summary</h2><div class=\"scroll\"><table class=\"summary\"><tr><th>run</th>");
        for (const std::string& measure : report_.measures) print("<th>{}</th>", measure);
        add("<th>queries</th></tr>\n");
        for (std::size_t r = 0; r < report_.runs.size(); ++r) summary_row(r);
        add("</table></div>\n");
        if (!report_.compares()) return;
        print(
            "<p class=\"soft\">Below each value: its difference from {} and the p value of a {}, "
            "{}. * p &lt; 0.05, ** p &lt; 0.01. The best value of a column is bold.</p>\n",
            escape_html(labels_[report_.baseline]), report_.test_title, correction());
    }

    void summary_row(std::size_t r) {
        const EvaluatedRun& run = report_.runs[r];
        const Evaluation& evaluation = run.evaluation;
        print("<tr><td>{}{}</td>", key(r),
              report_.compares() && r == report_.baseline ? "<small>baseline</small>" : "");
        for (std::size_t m = 0; m < report_.measures.size(); ++m) {
            print("<td><span{}>{:.4f}</span>", is_best(r, m) ? " class=\"best\"" : "",
                  evaluation.mean(m));
            if (!run.comparisons.empty() && is_quality(report_.measures[m])) {
                const Comparison& c = run.comparisons[m];
                print("<small>{:+.4f}</small><small>p {} {}</small>", c.mean_difference,
                      escape_html(p_text(c.p_adjusted)), significance_mark(c));
            }
            add("</td>");
        }
        print("<td>{} of {}", evaluation.judged_queries - evaluation.missing_queries,
              evaluation.judged_queries);
        if (evaluation.missing_queries > 0) {
            print("<small>{} missing</small>", evaluation.missing_queries);
        }
        add("</td></tr>\n");
    }

    bool is_best(std::size_t run, std::size_t measure) const {
        if (!report_.compares() || !is_quality(report_.measures[measure])) return false;
        const double mine = report_.runs[run].evaluation.mean(measure);
        return std::all_of(
            report_.runs.begin(), report_.runs.end(),
            [&](const EvaluatedRun& other) { return other.evaluation.mean(measure) <= mine; });
    }

    std::string correction() const {
        if (report_.runs.size() == 2) return "one comparison for each measure";
        return fmt::format("corrected by Holm's method over {} runs for each measure",
                           report_.runs.size() - 1);
    }

    void curves() {
        add("<h2>Precision and recall</h2><p class=\"soft\">Interpolated precision, the mean over "
            "the evaluated queries.</p>");
        LineChart chart = share_chart("Precision over recall", "recall", "precision");
        for (std::size_t r = 0; r < report_.runs.size(); ++r) {
            chart.lines.push_back(share_line(labels_[r], report_.runs[r].curve, line_class(r)));
        }
        print("<div class=\"scroll\">{}</div>", line_chart_svg(chart));
    }

    void tabs() {
        for (std::size_t m = 0; m < report_.measures.size(); ++m) {
            print("<input class=\"tab\" type=\"radio\" name=\"measure\" id=\"t{}\"{}>", m,
                  m == 0 ? " checked" : "");
        }
        add("<div class=\"tabs\">");
        for (std::size_t m = 0; m < report_.measures.size(); ++m) {
            print("<label for=\"t{}\">{}</label>", m, report_.measures[m]);
        }
        add("</div>\n");
    }

    void panel(std::size_t measure) {
        print("<section class=\"panel\" id=\"p{}\">\n", measure);
        if (report_.compares() && is_quality(report_.measures[measure])) differences(measure);
        if (!report_.compares()) distribution(measure);
        if (report_.compares()) most_different(measure);
        query_table(measure);
        add("</section>\n");
    }

    void differences(std::size_t measure) {
        double reach = 0;
        BarScale scale = {.has_sign = true};
        for (const EvaluatedRun& run : report_.runs) {
            if (run.comparisons.empty()) continue;
            const Comparison& c = run.comparisons[measure];
            for (const double end : {c.interval.low, c.interval.high, c.mean_difference}) {
                if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
            }
            for (const double difference : c.differences) scale.include(difference);
        }
        print(
            "<h3>Differences from {} in {}</h3><div class=\"scroll\"><table><tr><th>run</th>"
            "<th>difference</th><th class=\"middle\">95 % interval</th><th>effect "
            "size</th><th>better</th>"
            "<th>worse</th><th>equal</th><th>p</th><th>corrected p</th></tr>\n",
            escape_html(labels_[report_.baseline]), report_.measures[measure]);
        for (std::size_t r = 0; r < report_.runs.size(); ++r) difference_row(r, measure, reach);
        add("</table></div>\n");
        for (std::size_t r = 0; r < report_.runs.size(); ++r) difference_bars(r, measure, scale);
    }

    void difference_row(std::size_t r, std::size_t measure, double reach) {
        if (report_.runs[r].comparisons.empty()) return;
        const Comparison& c = report_.runs[r].comparisons[measure];
        print(
            "<tr><td>{}</td><td>{:+.4f}</td><td class=\"middle\">{}<small class=\"soft\">{:+.4f} "
            ".. "
            "{:+.4f}</small></td><td>{:+.2f}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
            "<td>{} {}</td></tr>\n",
            key(r), c.mean_difference, interval_svg(c.mean_difference, c.interval, reach),
            c.interval.low, c.interval.high, c.effect, c.better, c.worse,
            c.queries.size() - c.better - c.worse, escape_html(p_text(c.test.p)),
            escape_html(p_text(c.p_adjusted)), significance_mark(c));
    }

    // One scale for all runs, so that they can be compared by eye.
    void difference_bars(std::size_t r, std::size_t measure, const BarScale& scale) {
        if (report_.runs[r].comparisons.empty()) return;
        const Comparison& c = report_.runs[r].comparisons[measure];
        std::vector<QueryBar> bars;
        for (std::size_t i = 0; i < c.queries.size(); ++i) {
            bars.push_back({"query " + report_.query_name(c.queries[i]), c.differences[i]});
        }
        const std::string title =
            fmt::format("{} of {} minus {}, by query", report_.measures[measure], labels_[r],
                        labels_[report_.baseline]);
        print("<h3>{}</h3>", escape_html(title));
        add(c.better + c.worse == 0
                ? "<p class=\"soft\">No query differs.</p>\n"
                : "<div class=\"scroll\">" + bars_svg(std::move(bars), scale, title) + "</div>");
    }

    void distribution(std::size_t measure) {
        const Evaluation& evaluation = report_.runs.front().evaluation;
        std::vector<QueryBar> bars;
        for (std::size_t i = 0; i < evaluation.queries.size(); ++i) {
            bars.push_back({"query " + report_.query_name(evaluation.queries[i]),
                            evaluation.values[measure][i]});
        }
        const std::string title = report_.measures[measure] + " by query";
        print("<h3>{}</h3>", title);
        print("<div class=\"scroll\">{}</div>",
              bars_svg(std::move(bars), {.low = 0, .high = 1}, title));
    }

    // The distance between a query's best and worst run.
    double spread(std::size_t measure, std::size_t query) const {
        double lowest = 1;
        double highest = 0;
        for (std::size_t r = 0; r < report_.runs.size(); ++r) {
            const double v = value(r, measure, query);
            if (v < 0) continue;
            lowest = std::min(lowest, v);
            highest = std::max(highest, v);
        }
        return highest - lowest;
    }

    void most_different(std::size_t measure) {
        std::vector<std::size_t> order = queries_;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return spread(measure, a) > spread(measure, b);
        });
        order.resize(std::min(order.size(), kMostDifferent));
        std::erase_if(order, [&](std::size_t query) { return spread(measure, query) <= 0; });
        if (order.empty()) return;
        print(
            "<h3>Queries where runs differ most in {}</h3><div class=\"scroll\"><table><tr>"
            "<th>query</th><th class=\"middle\">0 to 1</th>",
            report_.measures[measure]);
        for (std::size_t r = 0; r < labels_.size(); ++r) print("<th>{}</th>", key(r));
        add("</tr>\n");
        for (const std::size_t query : order) {
            std::vector<double> values;
            for (std::size_t r = 0; r < labels_.size(); ++r) {
                values.push_back(value(r, measure, query));
            }
            print("<tr><td>{}</td><td>{}</td>", escape_html(report_.query_name(query)),
                  dots_svg(values, labels_));
            for (std::size_t r = 0; r < labels_.size(); ++r) value_cell(r, measure, query);
            add("</tr>\n");
        }
        add("</table></div>\n");
    }

    void value_cell(std::size_t run, std::size_t measure, std::size_t query) {
        const double v = value(run, measure, query);
        if (!report_.runs[run].in_run[query]) {
            add("<td class=\"soft\">missing</td>");
        } else if (v < 0) {
            add("<td class=\"soft\">left out</td>");
        } else {
            print("<td style=\"--v:{:.3f}\">{:.4f}</td>", v, v);
        }
    }

    void query_table(std::size_t measure) {
        print(
            "<details><summary>All {} queries</summary><div class=\"scroll\">"
            "<table class=\"values\"><tr><th>query</th>",
            queries_.size());
        for (std::size_t r = 0; r < labels_.size(); ++r) print("<th>{}</th>", key(r));
        add("</tr>\n");
        for (const std::size_t query : queries_) {
            print("<tr><td>{}</td>", escape_html(report_.query_name(query)));
            for (std::size_t r = 0; r < labels_.size(); ++r) value_cell(r, measure, query);
            add("</tr>\n");
        }
        add("</table></div></details>\n");
    }

    const EvalReport& report_;
    std::vector<std::size_t> queries_;
    std::vector<std::vector<std::size_t>> places_;
    std::vector<std::string> labels_;
    Html html_;
};

}  // namespace

void write_html(const EvalReport& report) {
    const std::string& path = report.settings.html;
    const std::string page = Page(report).build();
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out << page;
    out.close();
    if (!out) throw Error(fmt::format("{}: can't write: {}", path, std::strerror(errno)));
}

}  // namespace braid::cli

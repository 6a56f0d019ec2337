// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "braid/cli/report/charts.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {
namespace {

using Curve = std::vector<CurvePoint>;
using Reader = std::function<double(const CurvePoint&)>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

Reader watched(std::size_t set) {
    return [set](const CurvePoint& point) {
        return set < point.watched.size() ? point.watched[set] : kNothing;
    };
}

double validation(const CurvePoint& point) { return point.validation.value_or(kNothing); }

double objective(const CurvePoint& point) { return point.objective; }

// A bound below 0 says nothing, and would flatten the lines that do.
double bound(const CurvePoint& point) {
    const double value = point.bound.value_or(kNothing);
    return value >= 0 ? value : kNothing;
}

std::vector<const Curve*> curves_of(const TrainReport& report) {
    std::vector<const Curve*> curves;
    if (!report.folds) return {&report.trained.result.curve};
    for (const FoldResult& fold : report.folds->folds) curves.push_back(&fold.curve);
    return curves;
}

std::size_t longest(const std::vector<const Curve*>& curves) {
    std::size_t most = 0;
    for (const Curve* curve : curves) most = std::max(most, curve->size());
    return most;
}

// A line with a dot a step would be a line of dots.
bool has_dots(std::size_t steps) { return steps <= 20; }

void add_line(LineChart& chart, const Curve& curve, const Reader& read, const std::string& label,
              const std::string& kind) {
    ChartLine line = {.label = label, .xs = {}, .ys = {}, .kind = kind};
    for (const CurvePoint& point : curve) {
        if (!std::isfinite(read(point))) continue;
        line.xs.push_back(static_cast<double>(point.iteration));
        line.ys.push_back(read(point));
    }
    if (!line.xs.empty()) chart.lines.push_back(std::move(line));
}

// The mean of all, those that ended early as they ended.
void add_mean(LineChart& chart, const std::vector<const Curve*>& curves, const Reader& read,
              const std::string& label, const std::string& kind) {
    ChartLine line = {.label = label, .xs = {}, .ys = {}, .kind = kind};
    const std::size_t steps = longest(curves);
    for (std::size_t i = 0; i < steps; ++i) {
        double sum = 0;
        std::size_t count = 0;
        std::size_t iteration = i;
        for (const Curve* curve : curves) {
            if (curve->empty()) continue;
            const CurvePoint& point = (*curve)[std::min(i, curve->size() - 1)];
            if (curve->size() == steps) iteration = point.iteration;
            if (!std::isfinite(read(point))) continue;
            sum += read(point);
            ++count;
        }
        if (count == 0) continue;
        line.xs.push_back(static_cast<double>(iteration));
        line.ys.push_back(sum / static_cast<double>(count));
    }
    line.dots = has_dots(line.xs.size());
    if (!line.xs.empty()) chart.lines.push_back(std::move(line));
}

void add_curves(LineChart& chart, const TrainReport& report, const Reader& read,
                const std::string& name, const std::string& colour) {
    const std::vector<const Curve*> curves = curves_of(report);
    if (curves.size() > 1) {
        for (const Curve* curve : curves) {
            add_line(chart, *curve, read, name + ", each fold", colour + " thin");
        }
    }
    add_mean(chart, curves, read, curves.size() > 1 ? name + ", mean of folds" : name, colour);
}

}  // namespace

std::string precision_chart(const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    LineChart chart = share_chart(
        "Precision over recall of what was learned, uniform weights and the best single ranker",
        "recall", "interpolated precision");
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        const MeasuredSystem& system = findings.systems[s];
        if (system.precision.empty()) continue;
        chart.lines.push_back(share_line(system_title(findings, s), system.precision,
                                         fmt::format("c{}", chart.lines.size())));
        chart.lines.back().dots = true;
    }
    return chart.lines.empty() ? "" : line_chart_svg(chart);
}

std::string learning_chart(const TrainReport& report) {
    if (longest(curves_of(report)) < 2) return {};
    const TrainingFindings& findings = *report.findings;
    LineChart chart = {.title = "The measure after each step of the learner",
                       .x_label = "iteration",
                       .y_label = findings.measures[0],
                       .whole_x = true,
                       .lines = {}};
    const bool is_judged = !findings.queries.empty();
    if (is_judged) add_curves(chart, report, watched(0), "training", "c0");
    if (report.folds || !report.command.test.empty()) {
        add_curves(chart, report, watched(1), report.folds ? "held out" : "test file", "c1");
    }
    add_curves(chart, report, validation, "validation file", "c2");
    add_curves(chart, report, bound, "lower bound of the training measure", "c5 dashed");
    return chart.lines.empty() ? "" : line_chart_svg(chart);
}

std::string objective_chart(const TrainReport& report) {
    const std::string& name = report.trained.result.objective_name;
    if (longest(curves_of(report)) < 2 || name.empty()) return {};
    LineChart chart = {.title = "What is optimised, after each step of the learner",
                       .x_label = "iteration",
                       .y_label = name.substr(0, name.find(',')),
                       .whole_x = true,
                       .lines = {}};
    add_curves(chart, report, objective, "training", "c3");
    return chart.lines.empty() ? "" : line_chart_svg(chart);
}

std::string start_chart(const TrainReport& report) {
    const std::vector<StartCurve>& starts = report.trained.result.starts;
    if (starts.size() < 2) return {};
    LineChart chart = {.title = "The measure on the training queries, from each start",
                       .x_label = "iteration",
                       .y_label = report.findings->measures[0],
                       .whole_x = true,
                       .lines = {}};
    const bool is_judged = !report.findings->queries.empty();
    for (std::size_t s = 0; s < starts.size(); ++s) {
        std::string label;
        for (const double weight : starts[s].weights) {
            label += fmt::format("{}{:.2g}", label.empty() ? "" : " ", weight);
        }
        add_line(chart, starts[s].curve, is_judged ? watched(0) : objective, label, line_class(s));
    }
    return chart.lines.empty() ? "" : line_chart_svg(chart);
}

std::string ranker_chart(const TrainReport& report) {
    const TrainingFindings& findings = *report.findings;
    if (findings.mapped.size() < 3) return {};
    std::vector<MapPoint> points;
    for (std::size_t i = 0; i < findings.mapped.size(); ++i) {
        const bool is_learned = i + 1 == findings.mapped.size();
        const double share = i < report.shares.size() ? report.shares[i] : 0;
        points.push_back({findings.mapped[i], share, is_learned});
    }
    return map_svg(findings.map, points, "Map of the rankers by how different their lists are");
}

}  // namespace braid::cli

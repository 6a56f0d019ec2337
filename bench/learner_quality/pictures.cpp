// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/pictures.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "braid/cli/report/svg.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

// The lowest value shown: a few learners far below all others would press these together.
double lowest_shown(const std::vector<std::string>& names, const LinesByLearner& means) {
    std::vector<double> least;
    least.reserve(names.size());
    for (const std::string& name : names) {
        least.push_back(*std::min_element(means.at(name).begin(), means.at(name).end()));
    }
    std::sort(least.begin(), least.end(), std::greater<>());
    const double highest = means.at(names.front()).back();
    const double middle = least[least.size() / 2];
    return std::max(least.back(), highest - 3 * (highest - middle));
}

constexpr std::size_t kAlways = std::numeric_limits<std::size_t>::max();

// A line of what each learner has by place, `x(place, places)`; with dots if it has fewer points
// than `most_dots`.
template <typename X>
void add_lines(cli::LineChart& chart, const std::vector<std::string>& learners,
               const LinesByLearner& means, const X& x, std::size_t most_dots) {
    for (const std::string& name : learners) {
        const auto found = means.find(name);
        if (found == means.end() || found->second.empty()) continue;
        const std::size_t size = found->second.size();
        cli::ChartLine line = {.label = name,
                               .xs = {},
                               .ys = found->second,
                               .kind = cli::line_class(chart.lines.size()),
                               .dots = size < most_dots};
        for (std::size_t i = 0; i < size; ++i) line.xs.push_back(x(i, size));
        chart.lines.push_back(std::move(line));
    }
}

}  // namespace

void write_chart(const std::string& file, const cli::LineChart& chart) {
    std::ofstream out(file);
    out << cli::standalone_svg(cli::line_chart_svg(chart));
    if (!out.flush()) throw Error(file + ": can't be written");
}

void draw_gain_per_label(const std::string& file, const std::string& collection,
                         const std::vector<std::size_t>& labels, const LinesByLearner& means) {
    std::vector<std::string> names;
    for (const auto& [name, values] : means) {
        // The best weights of each query learn nothing.
        if (!values.empty() && name != "oracle") names.push_back(name);
    }
    if (names.empty()) return;
    // The best with all labels first.
    std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return means.at(a).back() > means.at(b).back();
    });
    cli::LineChart chart = {.title = collection + ": MAP by training queries",
                            .x_label = "training queries",
                            .y_label = "MAP on the test folds",
                            .lines = {},
                            .height = 520,
                            .names_at_ends = true};
    const auto place = [&](std::size_t i, std::size_t) {
        return std::log2(static_cast<double>(labels[i]));
    };
    add_lines(chart, names, means, place, kAlways);
    for (const std::size_t count : labels) {
        chart.marks.emplace_back(std::log2(static_cast<double>(count)), std::to_string(count));
    }
    double highest = 0;
    for (const std::string& name : names) {
        for (const double value : means.at(name)) highest = std::max(highest, value);
    }
    const double lowest = lowest_shown(names, means);
    const double room = 0.04 * (highest - lowest);
    if (highest > lowest) chart.y_range = {lowest - room, highest + room};
    write_chart(file, chart);
}

void draw_precision(const std::string& file, const std::string& collection,
                    const std::vector<std::string>& learners, const LinesByLearner& means) {
    cli::LineChart chart = {.title = collection + ": precision over recall",
                            .x_label = "recall",
                            .y_label = "interpolated precision",
                            .x_range = {0, 1},
                            .y_range = {0, 1},
                            .lines = {}};
    const auto share = [](std::size_t i, std::size_t size) {
        return static_cast<double>(i) / static_cast<double>(size - 1);
    };
    add_lines(chart, learners, means, share, kAlways);
    write_chart(file, chart);
}

void draw_steps(const std::string& file, const std::string& collection,
                const std::vector<std::string>& learners, const LinesByLearner& means) {
    cli::LineChart chart = {.title = collection + ": MAP on the test folds by step",
                            .x_label = "iteration",
                            .y_label = "MAP on the test folds",
                            .whole_x = true,
                            .lines = {},
                            .names_at_ends = true};
    const auto step = [](std::size_t i, std::size_t) { return static_cast<double>(i); };
    add_lines(chart, learners, means, step, 30);
    write_chart(file, chart);
}

}  // namespace braid::bench

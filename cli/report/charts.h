// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "braid/core/pool/ranker_map.h"

namespace braid::cli {

/// One line of a chart.
struct ChartLine {
    std::string label;  ///< Lines of the same label are one entry of the legend.
    std::vector<double> xs;
    std::vector<double> ys;
    std::string kind;   ///< Classes: "c0", "c1 dashed", "c2 thin".
    bool dots = false;  ///< Mark points with dots.
};

struct LineChart {
    std::string title;  ///< For screen readers.
    std::string x_label;
    std::string y_label;
    bool whole_x = false;  ///< x is a count: ticks are whole numbers.
    /// Used if first < second; otherwise the range of the lines.
    std::pair<double, double> x_range = {0, 0};
    std::pair<double, double> y_range = {0, 0};
    std::vector<ChartLine> lines;
    double height = 300;  ///< Height of the plot area.
    /// Tick labels instead of numbers: (x, text).
    std::vector<std::pair<double, std::string>> marks = {};
    /// Instead of a legend below: each label with its last value to the right of its line's end,
    /// moved up or down to avoid overlap. Lines are clipped to `y_range`.
    bool names_at_ends = false;
};

/// A chart whose x and y go from 0 to 1.
LineChart share_chart(const std::string& title, const std::string& x_label,
                      const std::string& y_label);

/// Such a line whose points are equally far apart, from 0 to 1.
ChartLine share_line(const std::string& label, const std::vector<double>& ys,
                     const std::string& kind);

/// The chart with its legend below. Skips points that are not finite.
std::string line_chart_svg(const LineChart& chart);

/// A point with its name.
struct MapPoint {
    std::string name;
    double weight = 0;  ///< From 0 to 1: size of the dot.
    bool is_learned = false;
};

/// Rankers in the plane, with names beside them if there is room.
std::string map_svg(const RankerMap& map, const std::vector<MapPoint>& points,
                    const std::string& title);

/// A standalone SVG file: includes its colours and fonts, light and dark.
std::string standalone_svg(std::string svg);

}  // namespace braid::cli

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
    bool dots = false;  ///< Points are marked.
};

struct LineChart {
    std::string title;  ///< For those who can't see it.
    std::string x_label;
    std::string y_label;
    bool whole_x = false;  ///< x counts something: marks are whole numbers.
    /// Where first < second; otherwise what the lines span.
    std::pair<double, double> x_range = {0, 0};
    std::pair<double, double> y_range = {0, 0};
    std::vector<ChartLine> lines;
    double height = 300;  ///< Of the plane.
    /// Instead of numbers at the bottom: (x, text).
    std::vector<std::pair<double, std::string>> marks = {};
    /// Instead of a legend below: each label with its last value to the right of its line's end,
    /// moved up or down where there is no room. Lines are cut where they leave `y_range`.
    bool names_at_ends = false;
};

/// The chart with its legend below. Points that are not finite are left out.
std::string line_chart_svg(const LineChart& chart);

/// A point with its name.
struct MapPoint {
    std::string name;
    double weight = 0;  ///< From 0 to 1: how large the dot is.
    bool is_learned = false;
};

/// Rankers in the plane, names beside them where there is room.
std::string map_svg(const RankerMap& map, const std::vector<MapPoint>& points,
                    const std::string& title);

/// A picture for a file of its own: its colours and fonts inside, light and dark.
std::string standalone_svg(std::string svg);

}  // namespace braid::cli

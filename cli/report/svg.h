// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/eval/summary.h"

namespace braid::cli {

/// Pictures for HTML reports: SVG elements that take their colours from the page's style sheet
/// (classes c0 .. c7 for lines, up and down for differences), so that they follow its dark mode.
/// These functions escape texts.

/// `text` safe in HTML's text and attributes, made visible as one line (core/base/text.h).
std::string escape_html(std::string_view text);

/// The number of colours for lines; further ones reuse them with dashes.
inline constexpr std::size_t kLineColours = 8;

/// The class of a line: "c3", "c3 dashed" from the ninth on, then "c3 dotted" and "c3 dashdot".
std::string line_class(std::size_t line);

/// A coordinate to a tenth of a pixel, which keeps pages small.
std::string svg_number(double value);

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view kind);

/// `anchor`: "start", "middle" or "end".
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

/// Opens a picture with a label for screen readers.
std::string svg_begin(double width, double height, std::string_view title,
                      std::string_view kind = "chart");

/// Step of an axis with three to seven ticks: 1, 2 or 5 times a power of ten.
double axis_step(double range);

/// `value` with as many digits as the step needs.
std::string axis_number(double value, double step);

/// Maps values to coordinates in a chart.
struct Plane {
    double left, top, width, height;
    double low, high;    ///< Range of y.
    double first, last;  ///< Range of x.

    double x(double value) const { return left + width * (value - first) / (last - first); }
    double y(double value) const { return top + height * (high - value) / (high - low); }
};

/// Horizontal grid lines with numbers at the left.
std::string horizontal_grid(const Plane& plane);

/// One bar of a chart over queries.
struct QueryBar {
    std::string query;
    double value = 0;
};

/// Range of a bar chart's height; always includes zero.
struct BarScale {
    double low = 0;
    double high = 0;
    bool has_sign = false;  ///< Values are differences: "+0.1234".

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Bars from the highest to the lowest, left to right, around zero; each has its query as tooltip.
/// `title` describes the chart for screen readers.
std::string bars_svg(std::vector<QueryBar> bars, const BarScale& scale, const std::string& title);

/// An interval with its centre, drawn between -`reach` and `reach`, zero in the middle.
std::string interval_svg(double centre, const ConfidenceInterval& interval, double reach);

/// One dot for each run on a line from 0 to 1; a negative value has no dot.
std::string dots_svg(const std::vector<double>& values, const std::vector<std::string>& labels);

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "braid/cli/report/html.h"
#include "braid/cli/report/svg.h"

namespace braid::cli {
namespace {

constexpr double kWidth = 640;
constexpr double kLetter = 7;  // The width of a letter, about.
constexpr double kLegendRow = 20;
constexpr double kMapHeight = 420;
constexpr double kNamedWidth = 760;  // Of charts with names beside their lines.
constexpr double kNameRow = 14;

double width_of(const std::string& text) {
    const auto letters =
        std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; });
    return kLetter * static_cast<double>(letters);
}

// The end of a text that is too long; the end is what tells paths apart.
std::string shortened(const std::string& text) {
    constexpr std::size_t kLongest = 40;
    if (text.size() <= kLongest) return text;
    std::size_t start = text.size() - kLongest + 3;
    while (start < text.size() && (text[start] & '\xc0') == '\x80') ++start;
    return "..." + text.substr(start);
}

std::pair<double, double> span_of(const std::vector<ChartLine>& lines,
                                  std::vector<double> ChartLine::*values) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const ChartLine& line : lines) {
        for (const double value : line.*values) {
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (!(low <= high)) return {0, 1};
    if (high - low < 1e-9 * std::max(1.0, std::abs(high))) return {low - 0.5, high + 0.5};
    return {low, high};
}

// With a little room above and below, and never outside of what a measure can be by that.
std::pair<double, double> with_room(std::pair<double, double> span) {
    const double room = 0.06 * (span.second - span.first);
    const double low = span.first - room;
    return {span.first >= 0 && low < 0 ? 0 : low, span.second + room};
}

std::string polyline(const ChartLine& line, const Plane& plane) {
    std::string points;
    std::string dots;
    for (std::size_t i = 0; i < line.xs.size(); ++i) {
        if (!std::isfinite(line.xs[i]) || !std::isfinite(line.ys[i])) continue;
        const std::string x = svg_number(plane.x(line.xs[i]));
        const std::string y = svg_number(plane.y(line.ys[i]));
        points += x + "," + y + " ";
        if (line.dots) {
            dots += fmt::format(
                R"(<circle class="dot {}" cx="{}" cy="{}" r="3.5"><title>{}: {:.4f}</title></circle>)",
                line.kind, x, y, escape_html(line.label), line.ys[i]);
        }
    }
    if (points.empty()) return {};
    points.pop_back();
    return fmt::format(R"(<polyline class="curve {}" points="{}"><title>{}</title></polyline>{})",
                       line.kind, points, escape_html(line.label), dots);
}

// One entry a label, in rows; `height` is what they take.
std::string legend(const std::vector<ChartLine>& lines, double left, double top, double& height) {
    std::string svg;
    std::vector<std::string> seen;
    double x = left;
    double y = top;
    for (const ChartLine& line : lines) {
        if (std::find(seen.begin(), seen.end(), line.label) != seen.end()) continue;
        seen.push_back(line.label);
        const std::string text = shortened(line.label);
        const double width = 32 + width_of(text) + 18;
        if (x > left && x + width > kWidth) {
            x = left;
            y += kLegendRow;
        }
        svg += svg_line(x, y - 4, x + 24, y - 4, "curve " + line.kind);
        svg += svg_text(x + 31, y, "start", text);
        x += width;
    }
    height = y - top + kLegendRow;
    return svg;
}

std::string vertical_marks(const LineChart& chart, const Plane& plane) {
    std::string svg;
    const double bottom = plane.top + plane.height;
    const auto mark = [&](double value, const std::string& text) {
        const double x = plane.x(value);
        svg += svg_line(x, plane.top, x, bottom, "grid");
        svg += svg_text(x, bottom + 18, "middle", text);
    };
    if (!chart.marks.empty()) {
        for (const auto& [value, text] : chart.marks) mark(value, text);
        return svg;
    }
    double step = axis_step(plane.last - plane.first);
    if (chart.whole_x) step = std::max(1.0, step);
    for (double value = std::ceil(plane.first / step - 1e-9) * step;
         value <= plane.last + step * 1e-9; value += step) {
        mark(value, axis_number(value, step));
    }
    return svg;
}

// The last point that is a number.
std::pair<double, double> end_of(const ChartLine& line) {
    for (std::size_t i = line.xs.size(); i-- > 0;) {
        if (std::isfinite(line.xs[i]) && std::isfinite(line.ys[i])) return {line.xs[i], line.ys[i]};
    }
    return {0, 0};
}

std::string end_name(const ChartLine& line) {
    return fmt::format("{} {:.4f}", shortened(line.label), end_of(line).second);
}

double names_width(const std::vector<ChartLine>& lines) {
    double width = 0;
    for (const ChartLine& line : lines) width = std::max(width, width_of(end_name(line)));
    return width + 34;
}

// Names at the right in the order of the lines' ends, each as near to its end as there is room.
std::string names_at_ends(const std::vector<ChartLine>& lines, const Plane& plane) {
    const double bottom = plane.top + plane.height;
    std::vector<std::pair<double, std::size_t>> places;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        places.emplace_back(std::clamp(plane.y(end_of(lines[i]).second), plane.top, bottom), i);
    }
    std::stable_sort(places.begin(), places.end());
    std::vector<double> ys;
    for (const auto& [y, line] : places) {
        ys.push_back(ys.empty() ? y : std::max(y, ys.back() + kNameRow));
    }
    double limit = bottom;
    for (std::size_t i = ys.size(); i-- > 0; limit = ys[i] - kNameRow) {
        ys[i] = std::min(ys[i], limit);
    }
    std::string svg;
    const double left = plane.left + plane.width + 26;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const ChartLine& line = lines[places[i].second];
        svg += svg_line(plane.x(end_of(line).first) + 4, places[i].first, left - 4, ys[i],
                        "curve thin " + line.kind);
        svg += svg_text(left, ys[i] + 4, "start", end_name(line));
    }
    return svg;
}

// Whatever leaves the plane, but for half a dot, is not seen.
std::string cut_to(const Plane& plane, const std::string& svg) {
    constexpr double kDot = 5;
    return fmt::format(
        R"x(<svg x="{0}" y="{1}" width="{2}" height="{3}" viewBox="{0} {1} {2} {3}">{4}</svg>)x",
        svg_number(plane.left - kDot), svg_number(plane.top - kDot),
        svg_number(plane.width + 2 * kDot), svg_number(plane.height + 2 * kDot), svg);
}

struct Box {
    double left, top, right, bottom;

    bool meets(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

}  // namespace

LineChart share_chart(const std::string& title, const std::string& x_label,
                      const std::string& y_label) {
    return {.title = title,
            .x_label = x_label,
            .y_label = y_label,
            .x_range = {0, 1},
            .y_range = {0, 1},
            .lines = {}};
}

ChartLine share_line(const std::string& label, const std::vector<double>& ys,
                     const std::string& kind) {
    ChartLine line = {.label = label, .xs = {}, .ys = ys, .kind = kind};
    for (std::size_t i = 0; i < ys.size(); ++i) {
        line.xs.push_back(static_cast<double>(i) / static_cast<double>(ys.size() - 1));
    }
    return line;
}

std::string line_chart_svg(const LineChart& chart) {
    const auto range = [&](const std::pair<double, double>& given,
                           std::vector<double> ChartLine::*values) {
        return given.first < given.second ? given : span_of(chart.lines, values);
    };
    const auto [first, last] = range(chart.x_range, &ChartLine::xs);
    auto y_range = range(chart.y_range, &ChartLine::ys);
    if (!(chart.y_range.first < chart.y_range.second)) y_range = with_room(y_range);
    const double whole_width = chart.names_at_ends ? kNamedWidth : kWidth;
    const double right = chart.names_at_ends ? names_width(chart.lines) : 22;
    const Plane plane = {.left = 62,
                         .top = 12,
                         .width = whole_width - 62 - right,
                         .height = chart.height,
                         .low = y_range.first,
                         .high = y_range.second,
                         .first = first,
                         .last = last};
    const double bottom = plane.top + plane.height;
    double legend_height = 0;
    const std::string entries = chart.names_at_ends
                                    ? names_at_ends(chart.lines, plane)
                                    : legend(chart.lines, plane.left, bottom + 64, legend_height);
    std::string svg = svg_begin(whole_width, bottom + 56 + legend_height, chart.title);
    svg += horizontal_grid(plane) + vertical_marks(chart, plane);
    svg += svg_text(plane.left + plane.width / 2, bottom + 38, "middle", chart.x_label);
    svg += fmt::format(
        R"x(<text x="14" y="{0}" text-anchor="middle" transform="rotate(-90 14 {0})">{1}</text>)x",
        svg_number(plane.top + plane.height / 2), escape_html(chart.y_label));
    std::string lines;
    for (const ChartLine& line : chart.lines) lines += polyline(line, plane);
    svg += chart.names_at_ends ? cut_to(plane, lines) : lines;
    return svg + entries + "</svg>";
}

std::string map_svg(const RankerMap& map, const std::vector<MapPoint>& points,
                    const std::string& title) {
    // One scale for both axes: distances are what is shown.
    const double room_x = kWidth - 160;
    const double room_y = kMapHeight - 70;
    double low[2] = {0, 0};
    double high[2] = {0, 0};
    for (std::size_t i = 0; i < map.points.size(); ++i) {
        low[i % 2] = std::min(low[i % 2], map.points[i]);
        high[i % 2] = std::max(high[i % 2], map.points[i]);
    }
    const double scale = std::min(room_x / std::max(high[0] - low[0], 1e-9),
                                  room_y / std::max(high[1] - low[1], 1e-9));
    const auto x_at = [&](double x) { return kWidth / 2 + scale * (x - (low[0] + high[0]) / 2); };
    const auto y_at = [&](double y) {
        return kMapHeight / 2 - scale * (y - (low[1] + high[1]) / 2);
    };
    const auto x_of = [&](std::size_t i) { return x_at(map.points[2 * i]); };
    const auto y_of = [&](std::size_t i) { return y_at(map.points[2 * i + 1]); };
    std::string dots;
    std::vector<Box> taken;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double radius = points[i].is_learned ? 7 : 4 + 8 * std::sqrt(points[i].weight);
        dots += fmt::format(
            R"(<circle class="dot {}" cx="{}" cy="{}" r="{}"><title>{}</title></circle>)",
            points[i].is_learned ? "c1" : "c0", svg_number(x_of(i)), svg_number(y_of(i)),
            svg_number(radius), escape_html(points[i].name));
        taken.push_back({x_of(i) - radius, y_of(i) - radius, x_of(i) + radius, y_of(i) + radius});
    }
    std::string svg = svg_begin(kWidth, kMapHeight, title);
    svg += svg_line(0, y_at(0), kWidth, y_at(0), "grid");
    svg += svg_line(x_at(0), 0, x_at(0), kMapHeight, "grid");
    svg += dots;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::string text = shortened(points[i].name);
        const double width = width_of(text);
        const double x = x_of(i);
        const double y = y_of(i);
        const double off = taken[i].right - x + 4;
        const std::array<Box, 6> places = {
            {{x + off, y - 8, x + off + width, y + 6},
             {x - off - width, y - 8, x - off, y + 6},
             {x - width / 2, y - off - 14, x + width / 2, y - off},
             {x - width / 2, y + off, x + width / 2, y + off + 14},
             {x + off * .7, y - off - 10, x + off * .7 + width, y - off + 4},
             {x + off * .7, y + off - 4, x + off * .7 + width, y + off + 10}}};
        for (const Box& place : places) {
            const bool is_free = place.left > 0 && place.right < kWidth && place.top > 0 &&
                                 place.bottom < kMapHeight &&
                                 std::none_of(taken.begin(), taken.end(), [&](const Box& other) {
                                     return &other != &taken[i] && place.meets(other);
                                 });
            if (!is_free) continue;
            taken.push_back(place);
            svg += svg_text(place.left, place.bottom - 3, "start", text);
            break;
        }
    }
    return svg + "</svg>";
}

std::string standalone_svg(std::string svg) {
    const std::string style = fmt::format("<style>{}{}svg {{ background: var(--paper); }}</style>",
                                          kColours, kPictureStyle);
    svg.insert(svg.find('>') + 1, style);
    svg.insert(4, R"( xmlns="http://www.w3.org/2000/svg")");
    return svg + "\n";
}

}  // namespace braid::cli

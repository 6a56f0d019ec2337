// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report_svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid::cli {
namespace {

// Coordinates with a tenth of a pixel are enough and keep the page small.
std::string px(double value) {
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string line(double x1, double y1, double x2, double y2, std::string_view kind) {
    return fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", kind, px(x1),
                       px(y1), px(x2), px(y2));
}

std::string label(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", px(x), px(y), anchor,
                       escape_html(text));
}

// The end of a label that is too long for the legend; the end is what tells paths apart.
std::string shortened(const std::string& text) {
    constexpr std::size_t kLongest = 28;
    if (text.size() <= kLongest) return text;
    std::size_t start = text.size() - kLongest + 3;
    while (start < text.size() && (text[start] & '\xc0') == '\x80') ++start;
    return "..." + text.substr(start);
}

// The step of an axis with some three to seven marks: 1, 2 or 5 times a power of ten.
double axis_step(double range) {
    const double rough = range / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power * 1.0001) return factor * power;
    }
    return 10 * power;
}

std::string axis_number(double value, double step) {
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return fmt::format("{:.{}f}", std::abs(value) < step / 2 ? 0.0 : value, digits);
}

// The plane of a chart: where values land in its box.
struct Plane {
    double left, top, width, height, low, high;

    double y(double value) const { return top + height * (high - value) / (high - low); }
};

std::string horizontal_grid(const Plane& plane) {
    std::string svg;
    const double step = axis_step(plane.high - plane.low);
    for (double value = std::ceil(plane.low / step - 1e-9) * step;
         value <= plane.high + step * 1e-9; value += step) {
        const double y = plane.y(value);
        const bool zero = std::abs(value) < step / 2;
        svg += line(plane.left, y, plane.left + plane.width, y, zero ? "axis" : "grid");
        svg += label(plane.left - 7, y + 4, "end", axis_number(value, step));
    }
    return svg;
}

std::string polyline(const LabelledCurve& curve, const Plane& plane) {
    std::string points;
    const auto steps = static_cast<double>(curve.values.size() - 1);
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
        const double x = plane.left + plane.width * static_cast<double>(i) / steps;
        points += px(x) + "," + px(plane.y(curve.values[i])) + " ";
    }
    points.pop_back();
    return fmt::format(R"(<polyline class="curve {}" points="{}"><title>{}</title></polyline>)",
                       run_class(curve.run), points, escape_html(curve.label));
}

}  // namespace

std::string escape_html(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                // Control characters are not allowed in HTML.
                result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
        }
    }
    return result;
}

std::string run_class(std::size_t run) {
    return fmt::format("c{}{}", run % kRunColours, run >= kRunColours ? " dashed" : "");
}

std::string curves_svg(const std::vector<LabelledCurve>& curves) {
    const double legend_row = 22;
    const Plane plane = {52, 12, 600, 340, 0, 1};
    const double legend_left = plane.left + plane.width + 32;
    const double height =
        std::max(396.0, plane.top + legend_row * static_cast<double>(curves.size() + 1));
    std::string svg = fmt::format(
        R"(<svg class="chart" viewBox="0 0 910 {}" role="img" aria-label="Precision over recall">)",
        px(height));
    svg += horizontal_grid(plane);
    for (int tenth = 0; tenth <= 10; tenth += 2) {
        const double x = plane.left + plane.width * tenth / 10;
        svg += line(x, plane.top, x, plane.top + plane.height, tenth == 0 ? "axis" : "grid");
        svg +=
            label(x, plane.top + plane.height + 18, "middle", fmt::format("{:.1f}", tenth / 10.0));
    }
    svg += label(plane.left + plane.width / 2, plane.top + plane.height + 37, "middle", "recall");
    svg += fmt::format(
        R"x(<text x="14" y="{0}" text-anchor="middle" transform="rotate(-90 14 {0})">precision</text>)x",
        px(plane.top + plane.height / 2));
    for (const LabelledCurve& curve : curves) svg += polyline(curve, plane);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const double y = plane.top + 12 + legend_row * static_cast<double>(i);
        svg +=
            line(legend_left, y - 4, legend_left + 26, y - 4, "curve " + run_class(curves[i].run));
        svg += label(legend_left + 36, y, "start", shortened(curves[i].label));
    }
    return svg + "</svg>";
}

std::string bars_svg(std::vector<QueryBar> bars, const BarScale& scale, const std::string& title) {
    std::stable_sort(bars.begin(), bars.end(),
                     [](const QueryBar& a, const QueryBar& b) { return a.value > b.value; });
    const double room = 0.04 * (scale.high - scale.low);
    const Plane plane = {52,
                         8,
                         850,
                         200,
                         scale.low < 0 ? scale.low - room : 0,
                         std::max(scale.high + room, scale.low + 1e-9)};
    std::string svg =
        fmt::format(R"(<svg class="chart" viewBox="0 0 910 216" role="img" aria-label="{}">)",
                    escape_html(title));
    svg += horizontal_grid(plane);
    const double step = plane.width / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
    const double gap = step > 4 ? 1 : 0;
    const double zero = plane.y(0);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double value = bars[i].value;
        // A query without a difference still gets a line to point at.
        const double height = std::max(std::abs(plane.y(value) - zero), 0.5);
        svg += fmt::format(
            R"(<rect class="{}" x="{:.2f}" y="{}" width="{:.2f}" height="{}"><title>{}: {}</title></rect>)",
            value < 0 ? "down" : "up", plane.left + step * static_cast<double>(i),
            px(value < 0 ? zero : zero - height), std::max(step - gap, 0.3), px(height),
            escape_html(bars[i].query),
            scale.has_sign ? fmt::format("{:+.4f}", value) : fmt::format("{:.4f}", value));
    }
    return svg + "</svg>";
}

std::string interval_svg(double centre, const ConfidenceInterval& interval, double reach) {
    const double middle = 110;
    const double half = 104;
    const auto place = [=](double value) {
        return middle + half * std::clamp(reach > 0 ? value / reach : 0.0, -1.0, 1.0);
    };
    std::string svg =
        R"(<svg class="interval" viewBox="0 0 220 22" width="220" height="22" aria-hidden="true">)";
    svg += line(middle, 1, middle, 21, "axis");
    const std::string_view kind = interval.low > 0 ? "up" : interval.high < 0 ? "down" : "open";
    svg += fmt::format(R"(<g class="{}">)", kind);
    svg += line(place(interval.low), 11, place(interval.high), 11, "whisker");
    svg += line(place(interval.low), 7, place(interval.low), 15, "whisker");
    svg += line(place(interval.high), 7, place(interval.high), 15, "whisker");
    svg += fmt::format(R"(<circle cx="{}" cy="11" r="4"/></g>)", px(place(centre)));
    return svg + "</svg>";
}

std::string dots_svg(const std::vector<double>& values, const std::vector<std::string>& labels) {
    std::string svg =
        R"(<svg class="dots" viewBox="0 0 216 20" width="216" height="20" aria-hidden="true">)";
    svg += line(8, 10, 208, 10, "grid");
    svg += line(8, 6, 8, 14, "grid") + line(208, 6, 208, 14, "grid");
    for (std::size_t run = 0; run < values.size(); ++run) {
        if (values[run] < 0) continue;
        svg += fmt::format(
            R"(<circle class="dot {}" cx="{}" cy="10" r="5"><title>{}: {:.4f}</title></circle>)",
            run_class(run), px(8 + 200 * values[run]), escape_html(labels[run]), values[run]);
    }
    return svg + "</svg>";
}

}  // namespace braid::cli

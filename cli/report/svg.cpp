// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/text.h"

namespace braid::cli {
std::string escape_html(std::string_view text) {
    std::string result;
    for (const char c : visible(text)) {
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
                result += c;
        }
    }
    return result;
}

std::string svg_number(double value) {
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view kind) {
    return fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", kind,
                       svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", svg_number(x),
                       svg_number(y), anchor, escape_html(text));
}

std::string svg_begin(double width, double height, std::string_view title, std::string_view kind) {
    return fmt::format(R"(<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">)", kind,
                       svg_number(width), svg_number(height), escape_html(title));
}

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

std::string horizontal_grid(const Plane& plane) {
    std::string svg;
    const double step = axis_step(plane.high - plane.low);
    for (double value = std::ceil(plane.low / step - 1e-9) * step;
         value <= plane.high + step * 1e-9; value += step) {
        const double y = plane.y(value);
        const bool zero = std::abs(value) < step / 2;
        svg += svg_line(plane.left, y, plane.left + plane.width, y, zero ? "axis" : "grid");
        svg += svg_text(plane.left - 7, y + 4, "end", axis_number(value, step));
    }
    return svg;
}

std::string line_class(std::size_t line) {
    constexpr const char* kDashes[] = {"", " dashed", " dotted", " dashdot"};
    return fmt::format("c{}{}", line % kLineColours, kDashes[line / kLineColours % 4]);
}

std::string bars_svg(std::vector<QueryBar> bars, const BarScale& scale, const std::string& title) {
    std::stable_sort(bars.begin(), bars.end(),
                     [](const QueryBar& a, const QueryBar& b) { return a.value > b.value; });
    const double room = 0.04 * (scale.high - scale.low);
    const Plane plane = {.left = 52,
                         .top = 8,
                         .width = 850,
                         .height = 200,
                         .low = scale.low < 0 ? scale.low - room : 0,
                         .high = std::max(scale.high + room, scale.low + 1e-9),
                         .first = 0,
                         .last = 1};
    std::string svg = svg_begin(910, 216, title, "chart wide");
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
            svg_number(value < 0 ? zero : zero - height), std::max(step - gap, 0.3),
            svg_number(height), escape_html(bars[i].query),
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
    svg += svg_line(middle, 1, middle, 21, "axis");
    const std::string_view kind = interval.low > 0 ? "up" : interval.high < 0 ? "down" : "open";
    svg += fmt::format(R"(<g class="{}">)", kind);
    svg += svg_line(place(interval.low), 11, place(interval.high), 11, "whisker");
    svg += svg_line(place(interval.low), 7, place(interval.low), 15, "whisker");
    svg += svg_line(place(interval.high), 7, place(interval.high), 15, "whisker");
    svg += fmt::format(R"(<circle cx="{}" cy="11" r="4"/></g>)", svg_number(place(centre)));
    return svg + "</svg>";
}

std::string dots_svg(const std::vector<double>& values, const std::vector<std::string>& labels) {
    std::string svg =
        R"(<svg class="dots" viewBox="0 0 216 20" width="216" height="20" aria-hidden="true">)";
    svg += svg_line(8, 10, 208, 10, "grid");
    svg += svg_line(8, 6, 8, 14, "grid") + svg_line(208, 6, 208, 14, "grid");
    for (std::size_t run = 0; run < values.size(); ++run) {
        if (values[run] < 0) continue;
        svg += fmt::format(
            R"(<circle class="dot {}" cx="{}" cy="10" r="5"><title>{}: {:.4f}</title></circle>)",
            line_class(run), svg_number(8 + 200 * values[run]), escape_html(labels[run]),
            values[run]);
    }
    return svg + "</svg>";
}

}  // namespace braid::cli

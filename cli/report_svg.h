// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/statistics/effect.h"

namespace braid::cli {

/// Pictures for the HTML report: SVG elements that take their colours from the page's style
/// sheet (classes c0 .. c7 for runs, up and down for differences), so that they follow its dark
/// mode. Texts are escaped here.

/// `text` safe in HTML's text and attributes.
std::string escape_html(std::string_view text);

/// The number of colours for runs; further runs reuse them with dashes.
inline constexpr std::size_t kRunColours = 8;

/// The class of a run's lines: "c3", or "c3 dashed" from the ninth run on.
std::string run_class(std::size_t run);

struct LabelledCurve {
    std::string label;
    std::vector<double> values;  ///< At equal steps of recall from 0 to 1.
    std::size_t run = 0;
};

/// Precision over recall, a line for each run, with a legend at the right.
std::string curves_svg(const std::vector<LabelledCurve>& curves);

/// One bar of a chart over queries.
struct QueryBar {
    std::string query;
    double value = 0;
};

/// What the height of a chart of bars spans; zero is always in it.
struct BarScale {
    double low = 0;
    double high = 0;
    bool has_sign = false;  ///< Values are differences: "+0.1234".

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Bars from the highest to the lowest, left to right, around zero; each names its query when
/// pointed at. `title` says what is shown, for those who can't see it.
std::string bars_svg(std::vector<QueryBar> bars, const BarScale& scale, const std::string& title);

/// An interval with its centre, drawn between -`reach` and `reach`, zero in the middle.
std::string interval_svg(double centre, const ConfidenceInterval& interval, double reach);

/// One dot for each run on a line from 0 to 1; a negative value has no dot.
std::string dots_svg(const std::vector<double>& values, const std::vector<std::string>& labels);

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "braid/cli/report/svg.h"
#include "braid/core/base/text.h"

namespace braid::cli {

/// Style sheets of the HTML reports and their figures. Colours are safe for colour-blind readers:
/// blue and orange for better and worse, eight hues of different lightness for lines.
inline constexpr const char* kColours = R"(
:root {
  color-scheme: light dark;
  --paper: #fcfcfb; --ink: #1d2329; --soft: #5d6670; --rule: #dde1e5; --card: #ffffff;
  --tint: #e3ecf6; --up: #1f6fb5; --down: #d0661a;
  --c0: #1f6fb5; --c1: #d0661a; --c2: #16856a; --c3: #8a4bb0; --c4: #b8860b; --c5: #c2376a;
  --c6: #4d5a66; --c7: #2aa3c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181c; --ink: #e4e8eb; --soft: #9aa5af; --rule: #2f373f; --card: #1b2126;
    --tint: #24405c; --up: #5aa9e6; --down: #f0934e;
    --c0: #5aa9e6; --c1: #f0934e; --c2: #4cc3a1; --c3: #c294e3; --c4: #e0bd4f; --c5: #f27fa5;
    --c6: #a9b4bd; --c7: #7fd6ec;
  }
}
)";

/// Styles for SVG pictures.
inline constexpr const char* kPictureStyle =
    R"(svg text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--soft); }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.curve { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; }
.thin { stroke-width: 1; opacity: 0.45; }
.dashed { stroke-dasharray: 7 4; }
.dotted { stroke-dasharray: 2 4; }
.dashdot { stroke-dasharray: 9 4 2 4; }
.whisker { stroke: currentColor; stroke-width: 1.6; }
.interval circle { fill: currentColor; }
.dot { fill: currentColor; stroke: var(--paper); stroke-width: 1.5; stroke-dasharray: none; }
rect { fill: currentColor; }
rect:hover { fill: var(--ink); }
.up { color: var(--up); } .down { color: var(--down); } .open { color: var(--soft); }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); }
.c3 { color: var(--c3); } .c4 { color: var(--c4); } .c5 { color: var(--c5); }
.c6 { color: var(--c6); } .c7 { color: var(--c7); }
)";

inline constexpr const char* kPageStyle = R"(
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 1140px; margin: 0 auto; padding: 28px 24px 64px; }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 1.2rem; margin: 40px 0 8px; }
h3 { font-size: 1rem; margin: 28px 0 4px; }
p { margin: 4px 0 12px; max-width: 76ch; }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0 12px; }
th, td { padding: 5px 14px 5px 0; text-align: right; white-space: nowrap; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--rule); }
td { border-bottom: 1px solid var(--rule); }
th[scope=row] { position: sticky; left: 0; background: var(--paper); color: inherit; font-weight: 500; border-bottom-color: var(--rule); }
th:first-child, td:first-child { text-align: left; }
.summary th, .summary td { padding-right: 22px; }
.summary td { padding-top: 8px; padding-bottom: 8px; }
.summary small { display: block; color: var(--soft); font-size: 0.8rem; line-height: 1.35; }
.best, th.best { font-weight: 700; }
.systems .interval { width: 130px; }
.key {
  display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 8px;
  background: currentColor;
}
.values td + td {
  background: linear-gradient(to right, var(--tint) calc(var(--v, 0) * 100%), transparent 0);
  background-size: calc(100% - 14px) 100%; background-repeat: no-repeat; padding-left: 6px;
}
svg { display: block; }
h2 { scroll-margin-top: 12px; }
.scroll:focus-visible { outline: 2px solid var(--up); }
.verdict { border-left: 4px solid var(--up); background: var(--card); padding: 8px 14px; }
.verdict.no { border-color: var(--down); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 12px;
  padding: 0; margin: 18px 0; list-style: none; }
.facts li { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 10px 14px; }
.facts b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.facts small { display: block; color: var(--soft); line-height: 1.35; }
.top td, .top th { border-bottom-color: var(--soft); }
.wrap { white-space: normal; text-align: left; overflow-wrap: anywhere; min-width: 12ch; }
code, pre { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 10px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.heat { border-collapse: separate; border-spacing: 1px; font-size: 0.74rem; }
.heat td, .heat th { padding: 2px 3px; border: 0; text-align: center; }
.heat th[scope=row] { text-align: right; }
.heat thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left;
  vertical-align: bottom; }
.heat td { background: rgb(31 111 181 / calc((1 - var(--v)) * 70%)); min-width: 21px; }
.heat td:first-child { text-align: center; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--up); }
th[aria-sort=ascending] button::after { content: " \25b2"; }
th[aria-sort=descending] button::after { content: " \25bc"; }
.bar { display: inline-block; height: 10px; border-radius: 2px; background: var(--c0);
  margin-left: 8px; vertical-align: baseline; }
.middle { text-align: center; }
.middle svg { margin: 0 auto; }
.middle small { display: block; }
.chart { width: 100%; height: auto; min-width: 460px; }
.chart.wide { min-width: 720px; }
.scroll > .line { max-width: 760px; }
.tab { position: absolute; opacity: 0; pointer-events: none; }
.tabs { display: flex; flex-wrap: wrap; gap: 6px; margin: 12px 0 4px; }
.tabs label {
  padding: 4px 13px; border: 1px solid var(--rule); border-radius: 16px; cursor: pointer;
  background: var(--card);
}
.panel { display: none; }
details { margin: 16px 0; }
summary { cursor: pointer; font-weight: 600; }
@media print { .panel { display: block; } .tabs { display: none; } }
@media (max-width: 600px) {
  main { padding: 18px 14px 48px; }
  th, td { padding-right: 10px; }
  th[scope=row] { white-space: normal; min-width: 6ch; max-width: 38vw; overflow-wrap: anywhere; }
}
)";

/// Builds a page from top to bottom. Additions are markup: pass names from files through
/// `escape_html`. The whole page shows hidden characters as escapes.
class Html {
  public:
    /// `title` is text; `rules` are added to the style sheet.
    void begin(const std::string& title, std::string_view rules = {}) {
        print(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            "<title>{0}</title><style>{1}{2}{3}{4}</style></head><body><main><h1>{0}</h1>\n",
            escape_html(title), kColours, kPictureStyle, kPageStyle, rules);
    }

    void add(std::string_view html) { html_ += html; }

    template <typename... Values>
    void print(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(html_), format, std::forward<Values>(values)...);
    }

    std::string take() { return visible(std::exchange(html_, {}), "\n\t"); }

  private:
    std::string html_;
};

}  // namespace braid::cli

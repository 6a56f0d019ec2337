// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "braid/cli/report/style.h"
#include "braid/cli/report/svg.h"
#include "braid/core/base/text.h"

namespace braid::cli {

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

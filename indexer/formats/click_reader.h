// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/registry.h"
#include "braid/core/eval/judgements.h"
#include "braid/indexer/formats/input.h"

namespace braid {

/// Clicks and showings by query, document and position, and the grades they give. Private to the
/// reader of clicks.
class ClickCounts {
  public:
    /// `position` counts from 1; 0 where it isn't known.
    void add(std::string_view query, std::string_view document, std::size_t position, double shown,
             double clicks);

    /// docs/formats.md, Clicks. Pairs that were shown less than `least_shown` times and never
    /// clicked are left out.
    Judgements judge(double least_shown) const;

  private:
    struct Pair {
        std::string query;
        std::string document;
        double shown = 0;
        double clicks = 0;
    };
    struct Place {
        double shown = 0;
        double clicks = 0;
    };
    struct Showing {
        std::size_t pair;
        std::size_t position;
        double shown;
    };

    std::vector<double> expected_clicks() const;

    std::vector<Pair> pairs_;
    std::unordered_map<std::string, std::size_t> by_name_;  // Query, a 0 byte, document.
    std::vector<Showing> showings_;
    std::map<std::size_t, Place> places_;
};

/// One entry of the registry of click file forms.
struct ClickFormat {
    std::string name;     ///< "tsv"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< Its first line, for error messages.
};

/// Every form there is; docs/formats.md describes them.
BRAID_API const Registry<ClickFormat>& click_formats();

struct ClickOptions {
    std::string format = {};  ///< A name from click_formats(), or "" to go by the first line.
    /// A document that was shown less often and never clicked counts as not judged.
    double least_shown = 1;
    WarningSink warn = {};                               ///< May be empty.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is refused.
};

/// Turns what users clicked into grades 0 to 3 (docs/formats.md, Clicks): 0 for what was shown and
/// never clicked; for the rest by how clicks compare with what the positions let one expect. Of
/// relevances that a click model estimated, 0 to 1, grade 1 to 4 is the quarter they are in.
/// "-" is standard input; gzip is unpacked. Throws UnknownComponent for a form, FormatError with
/// the line for a file that does not follow its form, or has nothing to judge by.
BRAID_API Judgements read_clicks(const std::string& path, const ClickOptions& options = {});
BRAID_API Judgements read_clicks(Input input, const ClickOptions& options = {});

}  // namespace braid

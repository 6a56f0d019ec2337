// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/judgements.h"
#include "braid/progress.h"

namespace braid {

/// Clicks and impressions by query, document and position, and the grades they give. Private to the
/// reader of clicks.
class ClickCounts {
  public:
    /// `position` counts from 1; 0 if unknown.
    void add(std::string_view query, std::string_view document, std::size_t position, double shown,
             double clicks);

    /// docs/formats.md, Clicks. Skips pairs shown less than `least_shown` times and never
    /// clicked.
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

/// One entry of the registry of click file formats.
struct ClickFormat {
    std::string name;     ///< "tsv"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< Its first line, for error messages.
};

/// All formats; docs/formats.md describes them.
const Registry<ClickFormat>& click_formats();

struct ClickOptions {
    std::string format =
        {};  ///< A name from click_formats(), or "" to detect it by the first line.
    /// A document shown less often and never clicked counts as unjudged.
    double least_shown = 1;
    WarningSink warn = {};                               ///< May be empty.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// Turns clicks into grades 0 to 3 (docs/formats.md, Clicks): 0 for documents shown and never
/// clicked; for others by the ratio of clicks to the clicks expected at their positions. A click
/// model's estimates of relevance, 0 to 1, become grades 1 to 4, one for each quarter.
/// "-" is standard input; gzip is unpacked. Throws UnknownComponent for an unknown format, and
/// FormatError with the line for a file that doesn't follow its format or gives no judgements.
Judgements read_clicks(const std::string& path, const ClickOptions& options = {});
Judgements read_clicks(Input input, const ClickOptions& options = {});

}  // namespace braid

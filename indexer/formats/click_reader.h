// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/judgements.h"
#include "braid/progress.h"

namespace braid {

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
    WarningSink note = {};                               ///< Likewise.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// A log of clicks, read at once or as it grows.
class ClickLog {
  public:
    /// `path` is for messages. Throws UnknownComponent for an unknown format.
    ClickLog(std::string path, ClickOptions options);
    ~ClickLog();
    ClickLog(ClickLog&&) noexcept;
    ClickLog& operator=(ClickLog&&) noexcept;

    /// More of the file, whole lines. Throws FormatError, with the line, for one that doesn't
    /// follow the format; what came before it stays.
    void add(std::string_view lines);

    /// The same, to the end of the file: a last line without its newline that doesn't follow the
    /// format was cut off, or is still being written, and is left out with a warning.
    void add_rest(std::string_view text);

    /// Queries that the lines since the last call were of, in order of appearance.
    std::vector<std::string> take_changed();

    /// What all lines say (docs/algorithms/clicks.md). Passes odd things to `warn` and the model's
    /// numbers to `note`. Throws FormatError if no pair was clicked, or shown often enough.
    Judgements judge();

  private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

/// Judgements by clicks: 1 for documents that the click model takes as relevant, 0 for others that
/// were shown. A click model's estimates of relevance, 0 to 1, become grades 1 to 4, one for each
/// quarter. "-" is standard input; gzip is unpacked. Throws as ClickLog does.
Judgements read_clicks(const std::string& path, const ClickOptions& options = {});
Judgements read_clicks(Input input, const ClickOptions& options = {});

}  // namespace braid

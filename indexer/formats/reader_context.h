// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/base/progress.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid {

/// Passes on the first warnings of a kind and counts the others, so that a file that is wrong in
/// every line says so in a few. The sink may throw, which ends the reading.
class WarningCounter {
  public:
    explicit WarningCounter(WarningSink sink) : sink_(std::move(sink)) {}

    /// `problem` is the kind, `detail` what is particular to this case: "file:7: problem (detail)".
    void warn(const SourceLocation& where, std::string_view problem, std::string_view detail = {});

    /// Tells how often the kinds occurred that were not all passed on, and forgets them.
    void report_totals();

    static constexpr std::size_t kPassedOn = 5;

  private:
    struct Kind {
        std::string problem;
        std::size_t count = 0;
    };

    WarningSink sink_;
    std::vector<Kind> kinds_;
};

/// What every reader of one call of open_documents shares.
struct ReaderContext {
    ReaderOptions options;
    std::shared_ptr<WarningCounter> warnings;

    void warn(const SourceLocation& where, std::string_view problem,
              std::string_view detail = {}) const {
        warnings->warn(where, problem, detail);
    }
};

/// How much of an input is looked at to tell what it is.
inline constexpr std::size_t kPeekedBytes = std::size_t{1} << 14;

/// Ends every reader's work on a document whose fields hold what the input has: makes id, names
/// and texts valid UTF-8 without control characters, trims them and drops fields without text.
/// Warns where bytes had to be converted.
void finish_document(SourceDocument& document, const ReaderContext& context);

/// Whether the file's name ends in `extension` (".csv"), maybe with ".gz" behind it, in any case.
bool has_extension(std::string_view path, std::string_view extension);

/// The warning for a record over ReaderOptions::max_record.
void warn_too_long(const SourceLocation& where, const ReaderContext& context);

}  // namespace braid

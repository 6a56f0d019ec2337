// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/input.h"
#include "braid/progress.h"

namespace braid {

/// Passes on the first warnings of a kind and counts the others, so that a file with errors in
/// every line gives few warnings. The sink may throw, which ends the reading.
class WarningCounter {
  public:
    explicit WarningCounter(WarningSink sink) : sink_(std::move(sink)) {}

    /// `problem` is the kind, `detail` describes the case: "file:7: problem (detail)".
    void warn(const SourceLocation& where, std::string_view problem, std::string_view detail = {});

    /// Reports the number of suppressed warnings of each kind, and resets the counts.
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

/// State that the readers of one open_documents call share.
struct ReaderContext {
    ReaderOptions options;
    std::shared_ptr<WarningCounter> warnings;

    void warn(const SourceLocation& where, std::string_view problem,
              std::string_view detail = {}) const {
        warnings->warn(where, problem, detail);
    }
};

/// A reader of a format of lines, the longest of which is ReaderOptions::max_record.
class LineDocuments : public DocumentReader {
  public:
    LineDocuments(Input input, const ReaderContext& context)
        : context_(context), lines_(std::move(input), context.options.max_record) {}
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

  protected:
    ReaderContext context_;
    LineReader lines_;
};

/// Bytes of an input read to detect its format.
inline constexpr std::size_t kPeekedBytes = std::size_t{1} << 14;

/// Cleans a document after reading: makes id, names and texts valid UTF-8 without control
/// characters, trims them and drops fields without text. Warns if it converted bytes.
void finish_document(SourceDocument& document, const ReaderContext& context);

/// Whether the file's name ends in `extension` (".csv"), optionally with ".gz", ignoring case.
bool has_extension(std::string_view path, std::string_view extension);

/// The warning for a record over ReaderOptions::max_record.
void warn_too_long(const SourceLocation& where, const ReaderContext& context);

}  // namespace braid

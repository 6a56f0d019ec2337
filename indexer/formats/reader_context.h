// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string_view>

#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/warning_counter.h"

namespace braid {

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

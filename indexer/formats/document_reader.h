// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/core/export.h"
#include "braid/core/progress.h"
#include "braid/core/registry.h"
#include "braid/indexer/formats/source_document.h"

namespace braid {

/// Reads documents one by one, in memory that does not grow with their number. One thread.
class BRAID_API DocumentReader {
  public:
    virtual ~DocumentReader() = default;

    /// Fills `document`, whose memory is reused, or returns false at the end. Throws FormatError
    /// (with file and line) for what can't be read on; what can goes to the warning sink.
    virtual bool next(SourceDocument& document) = 0;

    /// Bytes of the input consumed, as stored (compressed); for progress.
    virtual std::uint64_t bytes_read() const = 0;
};

struct ReaderOptions {
    WarningSink warn;  ///< May be empty.
    std::size_t max_record = std::size_t{64}
                             << 20;  ///< Bytes; a longer record is skipped with a warning.
    std::string id_field;            ///< JSON, CSV: the field that names the document; "" finds it.
    char delimiter = '\0';           ///< CSV: '\0' finds it.
};

/// One entry of the format registry.
struct DocumentFormat {
    std::string name;     ///< "smart", "jsonl"
    std::string summary;  ///< One line for help texts.
    /// How likely `head` (the first bytes, uncompressed) of the file `path` is in this format:
    /// 0 not at all, 100 certain.
    std::function<int(const std::string& path, std::string_view head)> recognise;
    std::function<std::unique_ptr<DocumentReader>(const std::string& path, const ReaderOptions&)>
        open;
};

/// Every document format there is. A new one is a line in indexer/formats/registry.cpp.
BRAID_API const Registry<DocumentFormat>& document_formats();

/// Opens `path` ("-" is standard input; a folder for the formats that have one) as `format`, or
/// as what it looks like where `format` is "". Throws UnknownComponent, or FormatError.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::string& path,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

}  // namespace braid

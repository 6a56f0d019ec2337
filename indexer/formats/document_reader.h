// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/registry.h"
#include "braid/indexer/formats/input.h"

namespace braid {

struct SourceField {
    std::string name;
    std::string text;  ///< Valid UTF-8.
};

/// One document from its source: named fields in the source's order; names may repeat.
struct SourceDocument {
    std::string id;  ///< The name that judgements and runs use; "" if the source has none.
    std::vector<SourceField> fields;
    SourceLocation where;  ///< The record's first line.

    /// All text of the fields called `name`, in order, joined by newlines.
    BRAID_API std::string text_of(std::string_view name) const;
};

/// Reads documents one by one, in memory independent of their number. Ids, field names and texts
/// are valid UTF-8, trimmed, without control characters except tab and newline; fields without text
/// are skipped. For one thread.
class BRAID_API DocumentReader {
  public:
    virtual ~DocumentReader() = default;

    /// Overwrites `document` with the next one; at the end returns false, also on later calls.
    /// Throws FormatError (with file and line) for fatal errors, after which the reader is
    /// unusable; reports others to the warning sink.
    virtual bool next(SourceDocument& document) = 0;

    /// Bytes of the input consumed, as stored (compressed); for progress.
    virtual std::uint64_t bytes_read() const = 0;
};

struct ReaderOptions {
    /// May be empty. Gets the first few warnings of a kind and, at the end, their number.
    WarningSink warn;
    /// Bytes; a longer record is skipped with a warning. Memory is a small multiple of it at most.
    std::size_t max_record = Limits{}.record;
    /// JSON, CSV: the field with the document's name; "": detected.
    std::string id_field;
    char delimiter = '\0';  ///< CSV: '\0': detected.
    /// CSV: the columns' names; empty: taken from the header line.
    std::vector<std::string> columns;
};

struct ReaderContext;  // State that the readers of one open_documents call share.

/// One entry of the format registry. Its functions are for open_documents.
struct DocumentFormat {
    std::string name;           ///< "smart", "jsonl"
    std::string summary;        ///< One line for help texts.
    bool one_per_file = false;  ///< Each file is one document, named by its path.
    /// How likely `head` (the first bytes, uncompressed) of the file `path` is in this format:
    /// 0 not at all, 100 certain; below 50 is rejected.
    std::function<int(const std::string& path, std::string_view head)> recognise;
    std::function<std::unique_ptr<DocumentReader>(Input, const ReaderContext&)> open;
    /// For formats whose inputs complete each other (else empty): whether inputs with these heads
    /// do, and the reader that joins them.
    std::function<bool(const std::vector<std::string>& heads)> belong_together = {};
    std::function<std::unique_ptr<DocumentReader>(std::vector<Input>, const ReaderContext&)>
        open_together = {};
};

/// All document formats.
BRAID_API const Registry<DocumentFormat>& document_formats();

/// The format of `head`, the first bytes of the file `path`. Throws FormatError if none is likely
/// enough, or two are.
BRAID_API const DocumentFormat& guess_document_format(const std::string& path,
                                                      std::string_view head);

/// Reads the documents of `paths` in order: a file, "-" for standard input, or a folder, whose
/// files are read in name order (see FolderWalk). `format` "": guessed for each input. Inputs that
/// complete each other, such as Debian's Packages and Translation, are joined.
///
/// Throws UnknownComponent, or FormatError for absent inputs and unknown formats, for all paths
/// before the first document is read. In a folder, a file that fails before its first document is
/// skipped with a warning.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::vector<std::string>& paths,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

/// The same for one path.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::string& path,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

/// The same for an open input.
BRAID_API std::unique_ptr<DocumentReader> open_documents(Input input, const std::string& format,
                                                         const ReaderOptions& options);

}  // namespace braid

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

/// One document as its source has it: named fields in the source's order, a name possibly twice.
struct SourceDocument {
    std::string id;  ///< The name by which judgements and runs know it; "" if the source has none.
    std::vector<SourceField> fields;
    SourceLocation where;  ///< The record's first line.

    /// All text of the fields called `name`, in order, joined by newlines.
    BRAID_API std::string text_of(std::string_view name) const;
};

/// Reads documents one by one, in memory that does not grow with their number. Ids, field names
/// and texts are valid UTF-8 without control characters but tab and newline, and without blanks
/// around them; a field without text is left out. One thread.
class BRAID_API DocumentReader {
  public:
    virtual ~DocumentReader() = default;

    /// Overwrites `document` with the next one, or returns false at the end, and from then on.
    /// Throws FormatError (with file and line) for what can't be read on, after which the reader
    /// is of no more use; what can goes to the warning sink.
    virtual bool next(SourceDocument& document) = 0;

    /// Bytes of the input consumed, as stored (compressed); for progress.
    virtual std::uint64_t bytes_read() const = 0;
};

struct ReaderOptions {
    /// May be empty. Gets the first few warnings of a kind and, at the end, how many there were.
    WarningSink warn;
    /// Bytes; a longer record is skipped with a warning. Memory is a small multiple of it at most.
    std::size_t max_record = Limits{}.record;
    /// JSON, CSV: the field that names the document; "" finds it.
    std::string id_field;
    char delimiter = '\0';  ///< CSV: '\0' finds it.
    /// CSV: the columns' names where no header line has them; empty: the first line does.
    std::vector<std::string> columns;
};

struct ReaderContext;  // What the readers of one call of open_documents share.

/// One entry of the format registry. Its functions are for open_documents.
struct DocumentFormat {
    std::string name;           ///< "smart", "jsonl"
    std::string summary;        ///< One line for help texts.
    bool one_per_file = false;  ///< Each file is one document, named by its path.
    /// How likely `head` (the first bytes, uncompressed) of the file `path` is in this format:
    /// 0 not at all, 100 certain; below 50 is not enough to go by.
    std::function<int(const std::string& path, std::string_view head)> recognise;
    std::function<std::unique_ptr<DocumentReader>(Input, const ReaderContext&)> open;
    /// Where inputs can complete each other (else empty): whether those with these heads do, and
    /// what reads them as one.
    std::function<bool(const std::vector<std::string>& heads)> belong_together = {};
    std::function<std::unique_ptr<DocumentReader>(std::vector<Input>, const ReaderContext&)>
        open_together = {};
};

/// Every document format there is. A new one is a line in indexer/formats/document_formats.cpp.
BRAID_API const Registry<DocumentFormat>& document_formats();

/// The format that `head`, the first bytes of the file `path`, is in. Throws FormatError where
/// none is likely enough, or two are.
BRAID_API const DocumentFormat& guess_document_format(const std::string& path,
                                                      std::string_view head);

/// Reads the documents of `paths` in their order: a file, "-" for standard input, or a folder,
/// whose files are read in the order of their names (see FolderWalk). `format` "" guesses each
/// input's. Inputs that complete each other are read as one: Debian's Packages and Translation.
///
/// Throws UnknownComponent, or FormatError for what is absent or whose format can't be told; so
/// with several paths this is known before the first document is read. In a folder, a file that
/// fails before its first document is skipped with a warning.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::vector<std::string>& paths,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

/// The same for one path.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::string& path,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

/// The same for an input that is open already.
BRAID_API std::unique_ptr<DocumentReader> open_documents(Input input, const std::string& format,
                                                         const ReaderOptions& options);

}  // namespace braid

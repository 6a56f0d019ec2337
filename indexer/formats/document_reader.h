// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/read.h"

namespace braid {

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
const Registry<DocumentFormat>& document_formats();

/// The format of `head`, the first bytes of the file `path`. Throws FormatError if none is likely
/// enough, or two are.
const DocumentFormat& guess_document_format(const std::string& path, std::string_view head);

/// As open_documents, for one path.
std::unique_ptr<DocumentReader> open_documents(const std::string& path, const std::string& format,
                                               const ReaderOptions& options);

/// As open_documents for one path, for an input that is open already.
std::unique_ptr<DocumentReader> open_documents(Input input, const std::string& format,
                                               const ReaderOptions& options);

}  // namespace braid

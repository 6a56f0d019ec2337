// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/source_document.h"

namespace braid {

// Queries as records of named fields, before anyone chose among these. Private to the query
// reader. Each takes the whole text of the file `path`; ids are "" where the file gives none.

/// Formats that documents have, too: "smart", "jsonl".
std::vector<SourceDocument> document_records(const std::string& path, std::string text,
                                             const std::string& format,
                                             const ReaderContext& context);

/// <top> or <topic> elements. Labels such as "Number:" are not part of a field.
std::vector<SourceDocument> topic_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context);

/// Columns between tabs: id and text, or as a header line says.
std::vector<SourceDocument> table_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context);

/// A query a line, named by the line's number.
std::vector<SourceDocument> line_records(const std::string& path, std::string_view text,
                                         const ReaderContext& context);

/// The name of the format that `text` is in.
std::string guess_query_format(std::string_view text);

}  // namespace braid

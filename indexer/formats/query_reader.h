// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/error.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/read.h"

namespace braid {

// Queries as records of all named fields. Private to the query reader. Each function takes the
// whole text of the file `path`; ids are "" if the file gives none.

/// Formats that documents also have: "smart", "jsonl".
std::vector<SourceDocument> document_records(const std::string& path, std::string text,
                                             const std::string& format,
                                             const ReaderContext& context);

/// <top> or <topic> elements. Labels such as "Number:" are not part of a field.
std::vector<SourceDocument> topic_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context);

/// Tab-separated columns: id and text, or as a header line says.
std::vector<SourceDocument> table_records(const std::string& path, std::string_view text,
                                          const ReaderContext& context);

/// One query per line, named by the line number.
std::vector<SourceDocument> line_records(const std::string& path, std::string_view text,
                                         const ReaderContext& context);

/// The name of `text`'s format.
std::string guess_query_format(std::string_view text);

/// One entry of the registry of query formats.
struct QueryFormat {
    std::string name;     ///< "smart", "trec"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< The beginning of such a file, for messages.
    /// Default fields of a query's text: those of the first group of which the query has
    /// any.
    std::vector<std::vector<std::string>> default_fields;
};

/// All formats; docs/guide/queries-and-judgements.md shows them.
const Registry<QueryFormat>& query_formats();

/// As read_queries, for an input that is open already.
std::vector<SourceQuery> read_queries(Input input, const QueryOptions& options = {});

}  // namespace braid

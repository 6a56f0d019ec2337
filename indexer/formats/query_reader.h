// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "braid/core/base/error.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/registry.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

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

/// A query from its source, not yet parsed.
struct SourceQuery {
    std::string id;        ///< The name that judgements and runs use.
    std::string text;      ///< Valid UTF-8; fields are on lines of their own.
    SourceLocation where;  ///< The first line of its record.
};

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
BRAID_API const Registry<QueryFormat>& query_formats();

struct QueryOptions {
    enum class Ids {
        kGiven,     ///< As in the file; plain lines are named by their numbers.
        kSequence,  ///< 1, 2, 3, in the file's order.
    };

    std::string format;               ///< A name from query_formats(), or "" to detect it.
    std::vector<std::string> fields;  ///< Fields to search for; empty: the format's default.
    Ids ids = Ids::kGiven;
    WarningSink warn;                                    ///< May be empty.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// Reads all queries of a file ("-": standard input; gzip is unpacked), in its order. Keeps
/// queries without text in the wanted fields, with a warning: an empty result is a result. Throws
/// UnknownComponent for an unknown format; FormatError with the line for a file that doesn't follow
/// its format or has no query, for a missing or repeated id, and if no query has any of the wanted
/// fields.
BRAID_API std::vector<SourceQuery> read_queries(const std::string& path,
                                                const QueryOptions& options = {});
BRAID_API std::vector<SourceQuery> read_queries(Input input, const QueryOptions& options = {});

}  // namespace braid

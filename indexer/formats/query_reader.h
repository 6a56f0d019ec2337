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

/// A query as its source has it: words to be searched for, not yet parsed.
struct SourceQuery {
    std::string id;        ///< The name by which judgements and runs know it.
    std::string text;      ///< Valid UTF-8; fields are on lines of their own.
    SourceLocation where;  ///< The first line of its record.
};

/// One entry of the registry of query formats.
struct QueryFormat {
    std::string name;     ///< "smart", "trec"
    std::string summary;  ///< One line for help texts.
    std::string example;  ///< The beginning of such a file, for messages.
    /// The fields that make a query's text where nobody chooses: those of the first group of
    /// which the query has any.
    std::vector<std::vector<std::string>> default_fields;
};

/// Every format there is; docs/guide/queries-and-judgements.md shows them.
BRAID_API const Registry<QueryFormat>& query_formats();

struct QueryOptions {
    enum class Ids {
        kGiven,     ///< As in the file; plain lines are named by their numbers.
        kSequence,  ///< 1, 2, 3, in the file's order, whatever the file says.
    };

    std::string format;               ///< A name from query_formats(), or "" to go by the content.
    std::vector<std::string> fields;  ///< What to search for; empty: the format's default.
    Ids ids = Ids::kGiven;
    WarningSink warn;                                    ///< May be empty.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is refused.
};

/// Reads all queries of a file ("-": standard input; gzip is unpacked), in its order. A query
/// without text in the wanted fields stays, with a warning: that nothing is found for it is a
/// result, too. Throws UnknownComponent for a format; FormatError with the line for a file that
/// does not follow its format or has no query, where a given id is missing or there twice, and
/// where no query has any of the wanted fields.
BRAID_API std::vector<SourceQuery> read_queries(const std::string& path,
                                                const QueryOptions& options = {});
BRAID_API std::vector<SourceQuery> read_queries(Input input, const QueryOptions& options = {});

}  // namespace braid

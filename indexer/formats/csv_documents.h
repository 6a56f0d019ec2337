// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// The index in `names` of the field that names the document: `wanted`, if it is not "", in any
/// case; else the first of the usual ones (_id, id, docno, docid, doc_id, document_id, uuid) that
/// is there; else names.size(). `names` are lower-cased.
std::size_t find_id_field(const std::vector<std::string_view>& names, std::string_view wanted);

/// Tables: comma, tab, semicolon or bar separated values, under a header line with the columns'
/// names (or ReaderOptions::columns), quoted as in RFC 4180. Tab-separated tables are mostly
/// written without quoting: there, quotes are only taken off around a whole value in one line.
class CsvDocuments : public DocumentReader {
  public:
    /// `delimiter` of the format, '\0' to find it; the one in the options wins.
    CsvDocuments(Input input, const ReaderContext& context, char delimiter);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

    static int recognise(const std::string& path, std::string_view head);
    static int recognise_tabs(const std::string& path, std::string_view head);

  private:
    bool read_header();
    bool read_row();
    void split(std::string_view line);
    void read_quoted(std::string_view& line, std::size_t& at, std::string& cell);

    ReaderContext context_;
    LineReader lines_;
    char delimiter_;
    std::vector<std::string> columns_;
    std::size_t id_column_ = 0;
    std::vector<std::string> cells_;
    SourceLocation where_;
};

}  // namespace braid

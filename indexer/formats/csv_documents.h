// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// The index in `names` of the field with the document's name: `wanted`, if not "", ignoring case;
/// else the first present of _id, id, docno, docid, doc_id, document_id, uuid; else names.size().
/// `names` are lower-cased.
std::size_t find_id_field(const std::vector<std::string_view>& names, std::string_view wanted);

/// Tables: comma, tab, semicolon or bar separated values, under a header line with the columns'
/// names (or ReaderOptions::columns), quoted as in RFC 4180. Tab-separated tables are mostly
/// written without quoting: there, only quotes around a whole value in one line are removed.
class CsvDocuments : public DocumentReader {
  public:
    /// `delimiter` of the format, '\0' to detect it; the options take precedence.
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

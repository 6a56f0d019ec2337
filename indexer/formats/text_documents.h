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
class CsvDocuments : public LineDocuments {
  public:
    /// `delimiter` of the format, '\0' to detect it; the options take precedence.
    CsvDocuments(Input input, const ReaderContext& context, char delimiter);
    bool next(SourceDocument& document) override;

    static int recognise(const std::string& path, std::string_view head);
    static int recognise_tabs(const std::string& path, std::string_view head);

  private:
    bool read_header();
    bool read_row();
    void split(std::string_view line);
    void read_quoted(std::string_view& line, std::size_t& at, std::string& cell);

    char delimiter_;
    std::vector<std::string> columns_;
    std::size_t id_column_ = 0;
    std::vector<std::string> cells_;
    SourceLocation where_;
};

/// SMART's documents: ".I <id>" begins a record, a line of "." and one capital begins a field.
class SmartDocuments : public LineDocuments {
  public:
    using LineDocuments::LineDocuments;
    bool next(SourceDocument& document) override;

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool find_first_record();
    bool read_fields(SourceDocument& document);

    bool at_record_ = false;  // id_ and where_ belong to the record whose fields follow.
    std::string id_;
    SourceLocation where_;
};

/// A plain text file: one document, whose id is the file's path. Its title is the first line with
/// text, or the file's name if that line is too long.
class TextDocuments : public DocumentReader {
  public:
    TextDocuments(Input input, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return input_.bytes_read(); }

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool read_all(std::string& text);

    ReaderContext context_;
    Input input_;
    bool done_ = false;
};

/// TREC's documents: SGML records "<DOC> <DOCNO> id </DOCNO> ... </DOC>", see parse_sgml_record.
class TrecDocuments : public LineDocuments {
  public:
    using LineDocuments::LineDocuments;
    bool next(SourceDocument& document) override;

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool find_record();
    bool read_record();
    bool has_line();

    bool has_line_ = false;
    std::string_view rest_;  // Unconsumed part of the current line.
    std::size_t records_ = 0;
    std::string record_;  // The current record behind its "<DOC".
    SourceLocation where_;
};

}  // namespace braid

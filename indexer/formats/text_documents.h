// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// SMART's documents: ".I <id>" begins a record, a line of "." and one capital begins a field.
class SmartDocuments : public DocumentReader {
  public:
    SmartDocuments(Input input, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool find_first_record();
    bool read_fields(SourceDocument& document);

    ReaderContext context_;
    LineReader lines_;
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
class TrecDocuments : public DocumentReader {
  public:
    TrecDocuments(Input input, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool find_record();
    bool read_record();
    bool has_line();

    ReaderContext context_;
    LineReader lines_;
    bool has_line_ = false;
    std::string_view rest_;  // Unconsumed part of the current line.
    std::size_t records_ = 0;
    std::string record_;  // The current record behind its "<DOC".
    SourceLocation where_;
};

}  // namespace braid

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
    bool at_record_ = false;  // id_ and where_ are those of a record whose fields come next.
    std::string id_;
    SourceLocation where_;
};

/// A plain text file: one document, whose id is the file's path. The first line with text is its
/// title, unless that is too long for one; then it is the file's name.
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
    std::string_view rest_;  // Of the current line: what is not yet consumed.
    std::size_t records_ = 0;
    std::string record_;  // The current record behind its "<DOC".
    SourceLocation where_;
};

}  // namespace braid

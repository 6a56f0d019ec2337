// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

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

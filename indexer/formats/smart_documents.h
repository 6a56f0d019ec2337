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

}  // namespace braid

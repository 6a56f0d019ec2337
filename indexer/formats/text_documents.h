// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

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

}  // namespace braid

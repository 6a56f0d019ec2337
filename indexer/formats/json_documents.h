// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/json_object.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// JSON lines: one object a line, one field per scalar in it (see JsonValue), keys lower-cased.
class JsonDocuments : public DocumentReader {
  public:
    JsonDocuments(Input input, const ReaderContext& context);
    bool next(SourceDocument& document) override;
    std::uint64_t bytes_read() const override { return lines_.bytes_read(); }

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool parse(std::string_view line);

    ReaderContext context_;
    LineReader lines_;
    std::size_t records_ = 0;
    std::vector<JsonValue> values_;
    std::vector<std::string_view> names_;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"

namespace braid {

/// One scalar of a JSON object.
struct JsonValue {
    std::string path;  ///< Its keys, joined by dots: "metadata.url"; an array adds nothing.
    std::string text;  ///< A string's characters; a number, true or false as written.
};

/// Error in a JSON text.
struct JsonProblem {
    std::string what;        ///< "": no error.
    std::size_t column = 0;  ///< Byte, from 1.
};

/// Parses `text`, which must be one JSON object (RFC 8259), and appends its scalars in their order
/// to `values`; null gives none. Accepts what text data often break: strings may hold any bytes,
/// invalid UTF-8 and control characters included. Depth is limited to 64. O(size). The available
/// DOM and SAX parsers refuse broken UTF-8 and take several times as long
/// (bench/input_speed/documents.cpp).
JsonProblem parse_json_object(std::string_view text, std::vector<JsonValue>& values);

/// JSON lines: one object a line, one field per scalar in it (see JsonValue), keys lower-cased.
class JsonDocuments : public LineDocuments {
  public:
    using LineDocuments::LineDocuments;
    bool next(SourceDocument& document) override;

    static int recognise(const std::string& path, std::string_view head);

  private:
    bool parse(std::string_view line);

    std::size_t records_ = 0;
    std::vector<JsonValue> values_;
    std::vector<std::string_view> names_;
};

}  // namespace braid

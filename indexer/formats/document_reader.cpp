// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/document_reader.h"

namespace braid {

std::string SourceDocument::text_of(std::string_view name) const {
    std::string result;
    for (const SourceField& field : fields) {
        if (field.name != name) continue;
        if (!result.empty()) result += '\n';
        result += field.text;
    }
    return result;
}

}  // namespace braid

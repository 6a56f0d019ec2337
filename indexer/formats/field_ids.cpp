// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/field_ids.h"

#include <algorithm>

#include "braid/indexer/formats/text_cleaning.h"

namespace braid {

std::size_t find_id_field(const std::vector<std::string_view>& names, std::string_view wanted) {
    const auto place = [&](std::string_view name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                        names.begin());
    };
    if (!wanted.empty()) return place(lower_cased(wanted));
    for (const std::string_view usual :
         {"_id", "id", "docno", "docid", "doc_id", "document_id", "uuid"}) {
        const std::size_t found = place(usual);
        if (found < names.size()) return found;
    }
    return names.size();
}

}  // namespace braid

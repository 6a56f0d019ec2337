// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/error.h"

namespace braid {

struct SourceField {
    std::string name;
    std::string text;  ///< Valid UTF-8.
};

/// One document as its source has it: named fields in the source's order, a name possibly twice.
struct SourceDocument {
    std::string id;  ///< The name by which judgements and runs know it; "" if the source has none.
    std::vector<SourceField> fields;
    SourceLocation where;  ///< The record's first line.

    /// All text of the fields called `name`, in order, joined by newlines.
    BRAID_API std::string text_of(std::string_view name) const;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// Source of the document names that judgements and runs use.
struct DocumentNameSource {
    enum class Kind {
        kTerm,   ///< The first term that begins with `prefix`, without it.
        kValue,  ///< Value slot `slot`.
        kData,   ///< The first line of the document data.
        kDocid,  ///< The docid.
    };
    Kind kind = Kind::kDocid;
    std::string prefix = {};
    unsigned slot = 0;

    /// "term:Q", "value:0", "data" or "docid"; throws InvalidArgument for anything else.
    static BRAID_API DocumentNameSource parse(std::string_view text);
    BRAID_API std::string to_string() const;

    bool operator==(const DocumentNameSource&) const = default;
};

/// "" if the document has no such term, value or data. Cost: a term reads the document's term list
/// up to it, a value one chunk of the slot (the cheapest), the data one record.
BRAID_API std::string document_name(const Xapian::Document& document,
                                    const DocumentNameSource& source);

/// The source is kept in the database (metadata key kDocumentNamesKey, as text).
BRAID_API void store_document_names(Xapian::WritableDatabase& database,
                                    const DocumentNameSource& source);

/// Empty if none is kept. Throws FormatError with the key for a foreign value.
BRAID_API std::optional<DocumentNameSource> load_document_names(const Xapian::Database& database);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <xapian.h>

#include "braid/core/export.h"
#include "braid/plugin/store/document_words.h"
#include "braid/plugin/store/word_form.h"

namespace braid {

/// What rankers need of a document that no posting has, kept in a value slot: docs/formats.md.
struct DocumentRecord {
    /// The document's, in terms, when the record was made: another now means that it has changed.
    std::uint64_t length = 0;
    /// Euclidean length of the vector of 1 + log tf over its words; 0 without any.
    float norm = 0;
    std::uint32_t unique_terms = 0;  ///< All terms, as Xapian counts them.

    bool operator==(const DocumentRecord&) const = default;
};

/// The words of a document decide about the norm. `form` is that of the database's records.
BRAID_API DocumentRecord make_document_record(const Xapian::Document& document, WordForm form);

BRAID_API std::string encode_document_record(const DocumentRecord& record);
/// Nothing for bytes that encode_document_record didn't write. Neither allocates nor throws.
BRAID_API std::optional<DocumentRecord> try_document_record(std::string_view bytes) noexcept;

/// Where a database keeps records of its documents.
struct DocumentRecords {
    unsigned slot = 0;
    WordForm form = WordForm::kStems;  ///< Whose words the norms are of.

    bool operator==(const DocumentRecords&) const = default;
};

/// Under the metadata key kDocumentRecordsKey; nothing where there are none. Throws FormatError for
/// a value that is truncated, foreign or of a newer version.
BRAID_API std::optional<DocumentRecords> load_document_records(const Xapian::Database& database);
BRAID_API void store_document_records(Xapian::WritableDatabase& database,
                                      const DocumentRecords& records);

}  // namespace braid

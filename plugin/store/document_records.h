// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/terms.h"

namespace braid {

/// The same of one field of a document: of the words that its prefix marks, in the records' form.
struct FieldRecord {
    std::uint32_t length = 0;  ///< Words; 0 without the field, and so is all else.
    float norm = 0;
    std::uint32_t unique_terms = 0;

    bool operator==(const FieldRecord&) const = default;
};

/// What rankers need of a document that no posting has, kept in a value slot: docs/formats.md.
struct DocumentRecord {
    /// The document's, in terms, when the record was made: another now means that it has changed.
    std::uint64_t length = 0;
    /// Euclidean length of the vector of 1 + log tf over its words; 0 without any.
    float norm = 0;
    std::uint32_t unique_terms = 0;  ///< All terms, as Xapian counts them.
    std::uint8_t fields_tag = 0;     ///< DocumentRecords::fields_tag when the record was made.

    bool operator==(const DocumentRecord&) const = default;
};

/// A field whose length the records of documents hold, and how long it is over the database.
struct RecordedField {
    std::string name;
    std::string prefix;           ///< Of its terms.
    std::uint64_t documents = 0;  ///< In the database when its words were last counted,
    std::uint64_t words = 0;      ///< with so many in this field.

    bool operator==(const RecordedField&) const = default;
};

/// Where a database keeps records of its documents.
struct DocumentRecords {
    unsigned slot = 0;
    WordForm form = WordForm::kStems;        ///< Whose words norms and fields' lengths are of.
    std::vector<RecordedField> fields = {};  ///< In the order that each record has them.

    /// Tells apart records that were made with other fields: 0 without any.
    BRAID_API std::uint8_t fields_tag() const;

    bool operator==(const DocumentRecords&) const = default;
};

/// A document's record, with a part for each of `fields`.
struct FullRecord {
    DocumentRecord document;
    std::vector<FieldRecord> fields;

    bool operator==(const FullRecord&) const = default;
};

/// The words of a document decide about norms and fields.
BRAID_API FullRecord make_document_record(const Xapian::Document& document,
                                          const DocumentRecords& records);

BRAID_API std::string encode_document_record(const FullRecord& record);

/// Nothing for bytes that encode_document_record didn't write, now or in older versions, and where
/// the checksum isn't theirs. `fields` gets what there is of each
/// field, in the records' order; those beyond it are passed over, and those that the record lacks
/// are empty. Neither allocates nor throws.
BRAID_API std::optional<DocumentRecord> try_document_record(
    std::string_view bytes, std::span<FieldRecord> fields = {}) noexcept;

/// Whether a value begins as records of any version do, damaged or not.
BRAID_API bool is_marked_record(std::string_view bytes) noexcept;

/// Whether a record that can be read is of a version with a checksum.
BRAID_API bool is_record_checked(std::string_view bytes) noexcept;

/// The records' fields as the records themselves have them: reads all of the slot, .1 microseconds
/// a document.
BRAID_API std::vector<RecordedField> count_fields(const Xapian::Database& database,
                                                  const DocumentRecords& records);

/// Under the metadata key kDocumentRecordsKey; nothing where there are none. Throws FormatError for
/// a value that is truncated, foreign or of a newer version.
BRAID_API std::optional<DocumentRecords> load_document_records(const Xapian::Database& database);
/// Changes nothing where they are kept as they are; those of an older version are written anew.
BRAID_API void store_document_records(Xapian::WritableDatabase& database,
                                      const DocumentRecords& records);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/terms.h"

namespace braid {

/// The same for one field of a document: for words with its prefix, in the records' form.
struct FieldRecord {
    std::uint32_t length = 0;  ///< Words; 0 without the field, and so is all else.
    float norm = 0;
    std::uint32_t unique_terms = 0;

    bool operator==(const FieldRecord&) const = default;
};

/// Statistics of a document that postings lack, kept in a value slot: docs/formats.md.
struct DocumentRecord {
    /// The document's length when the record was made: a different one now means a stale record.
    std::uint64_t length = 0;
    /// Euclidean length of the vector of 1 + log tf over its words; 0 without any.
    float norm = 0;
    std::uint32_t unique_terms = 0;  ///< All terms, as Xapian counts them.
    std::uint8_t fields_tag = 0;     ///< DocumentRecords::fields_tag when the record was made.

    bool operator==(const DocumentRecord&) const = default;
};

/// A field whose length documents' records hold, with its total length in the database.
struct RecordedField {
    std::string name;
    std::string prefix;           ///< Prefix of its terms.
    std::uint64_t documents = 0;  ///< Documents in the database at the last count,
    std::uint64_t words = 0;      ///< and words in this field.

    bool operator==(const RecordedField&) const = default;
};

/// Location and form of a database's records of documents.
struct DocumentRecords {
    unsigned slot = 0;
    WordForm form = WordForm::kStems;        ///< Form of the words that norms and lengths count.
    std::vector<RecordedField> fields = {};  ///< In the records' order.

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

/// Norms and fields depend on the document's words.
BRAID_API FullRecord make_document_record(const Xapian::Document& document,
                                          const DocumentRecords& records);

BRAID_API std::string encode_document_record(const FullRecord& record);

/// Empty for bytes that no version of encode_document_record wrote, and for a wrong checksum.
/// `fields` gets the fields in the records' order; further ones are skipped, and missing ones are
/// empty. Neither allocates nor throws.
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

/// Under the metadata key kDocumentRecordsKey; empty if there are none. Throws FormatError for a
/// value that is truncated, foreign or of a newer version.
BRAID_API std::optional<DocumentRecords> load_document_records(const Xapian::Database& database);
/// Writes nothing if equal to the stored value; rewrites values of older versions.
BRAID_API void store_document_records(Xapian::WritableDatabase& database,
                                      const DocumentRecords& records);

}  // namespace braid

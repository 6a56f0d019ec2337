// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/statistics.h"
#include "braid/error.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// The fields in a document's data: a JSON object, as Braid writes, or lines of name=value, as
/// Omega does. Empty for anything else.
std::map<std::string, std::string> document_fields(const std::string& data);

/// A document's title in a list of results: its title, caption, subject or name, else the first
/// line of its data.
std::string document_title(const std::map<std::string, std::string>& fields,
                           const std::string& data);

/// Text for snippets: the text or sample, else all fields except the title, else the data.
std::string document_text(const std::map<std::string, std::string>& fields,
                          const std::string& data);

/// A field that rankers score alone: its prefix, and its words in the whole database.
struct FieldCollection {
    std::string name;
    std::string prefix;
    CollectionStatistics collection;

    bool operator==(const FieldCollection&) const = default;
};

/// Statistics of these fields, in order. Word counts date from the last update of documents'
/// records, scaled to the current number of documents. Throws ModelMismatch if a shard doesn't
/// record one of the fields.
BRAID_API std::vector<FieldCollection> field_collections(const Xapian::Database& database,
                                                         const std::vector<std::string>& fields);

/// The field's index in a database's records. Throws ModelMismatch, with how to record it.
std::size_t place_of_field(const DocumentRecords& records, const std::string& field);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/lexical/statistics.h"
#include "braid/plugin/store/document_records.h"

namespace braid {

/// The fields in a document's data: a JSON object, as Braid writes, or lines of name=value, as
/// Omega does. Empty for anything else.
BRAID_API std::map<std::string, std::string> document_fields(const std::string& data);

/// What to call a document in a list of results: its title, caption, subject or name, else the
/// first line of its data.
BRAID_API std::string document_title(const std::map<std::string, std::string>& fields,
                                     const std::string& data);

/// What snippets are made of: the text or sample, else all fields but the title's, else the data.
BRAID_API std::string document_text(const std::map<std::string, std::string>& fields,
                                    const std::string& data);

/// A field that rankers score alone: where its words are, and how many the whole database has.
struct FieldCollection {
    std::string name;
    std::string prefix;
    CollectionStatistics collection;

    bool operator==(const FieldCollection&) const = default;
};

/// Of those fields, in their order. Words are those counted when documents' records were last
/// made, in proportion to the documents that there are now. Throws
/// ModelMismatch where a shard doesn't record one of the fields.
BRAID_API std::vector<FieldCollection> field_collections(const Xapian::Database& database,
                                                         const std::vector<std::string>& fields);

/// Where the field is in a database's records. Throws ModelMismatch, which says how it comes there.
BRAID_API std::size_t place_of_field(const DocumentRecords& records, const std::string& field);

}  // namespace braid

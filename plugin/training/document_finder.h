// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <xapian.h>

#include "braid/plugin/store/document_names.h"

namespace braid {

/// From documents' numbers to their names and back. Keeps what it has looked up: for one state of
/// a database, and one thread. Not installed.
class DocumentFinder {
  public:
    DocumentFinder(const Xapian::Database& database, const DocumentNameSource& source)
        : database_(database), source_(source) {}

    /// As SearchHit::name: the number where the document has no name.
    const std::string& name(Xapian::docid docid);

    /// Nothing where no document has the name. Of several the first. The first call reads the names
    /// of all documents where they are not terms.
    std::optional<Xapian::docid> find(const std::string& name);

  private:
    std::optional<Xapian::docid> find_by_term(const std::string& term, const std::string& name);
    void read_all();

    Xapian::Database database_;
    DocumentNameSource source_;
    std::unordered_map<Xapian::docid, std::string> names_;
    std::unordered_map<std::string, Xapian::docid> docids_;
    bool has_all_ = false;
};

}  // namespace braid

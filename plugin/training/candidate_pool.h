// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/features.h"
#include "braid/model.h"
#include "braid/searcher.h"

namespace braid {

/// Maps docids to names and back. Caches lookups: for one state of a database, and one thread.
class DocumentFinder {
  public:
    DocumentFinder(const Xapian::Database& database, const DocumentNameSource& source)
        : database_(database), source_(source) {}

    /// As SearchHit::name: the number where the document has no name.
    const std::string& name(Xapian::docid docid);

    /// Empty if no document has the name. The first of several. The first call reads the names
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

/// Finds the candidates of queries. For one thread, as its database is.
class CandidatePool {
  public:
    /// Throws as Searcher does.
    CandidatePool(const Xapian::Database& database, const FusionModel& model,
                  const PoolOptions& options, const SearcherOptions& search);
    ~CandidatePool();
    CandidatePool(CandidatePool&&) noexcept;
    CandidatePool& operator=(CandidatePool&&) noexcept;

    /// Ascending; judged documents are not added. None for a query without words. Throws
    /// Xapian::DatabaseModifiedError where the database changed; the caller reopens it.
    std::vector<Xapian::docid> find(const Xapian::Query& query, const QueryInputs& inputs = {});

    /// Free text, as the query that is searched for.
    Xapian::Query bag_of_words(const std::string& text);
    /// How queries are made.
    const IndexSettings& index_settings() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid

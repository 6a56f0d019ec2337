// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "braid/core/evaluation/name_pool.h"
#include "braid/core/export.h"

namespace braid {

struct ScoredDocument {
    std::string_view document;
    double score = 0;
};

/// One query's part of a run, in the order it was read or found; `rank_documents` sorts it.
struct QueryRun {
    std::string query;
    std::vector<ScoredDocument> documents;
};

/// A run: for each query a list of scored documents. Owns its names; movable, not copyable.
class BRAID_API Run {
  public:
    explicit Run(std::string name = "") : name_(std::move(name)) {}

    const std::string& name() const { return name_; }
    void rename(std::string name) { name_ = std::move(name); }

    /// The part of `query`, made where it is not there yet. The reference stays valid.
    QueryRun& query(std::string_view query);
    const QueryRun* find(std::string_view query) const;  ///< nullptr where it is not in the run.

    /// Copies `document` into the run.
    void add(QueryRun& query, std::string_view document, double score) {
        query.documents.push_back({names_.store(document), score});
    }

    const std::deque<QueryRun>& queries() const { return queries_; }
    std::deque<QueryRun>& queries() { return queries_; }

  private:
    std::string name_;
    NamePool names_;
    std::deque<QueryRun> queries_;
    std::unordered_map<std::string_view, std::size_t> by_query_;
};

/// trec_eval's order, whatever a rank column says: score, then document name, both descending.
/// The name breaks ties, so that the order does not depend on who sorted first.
BRAID_API void rank_documents(std::vector<ScoredDocument>& documents);

}  // namespace braid

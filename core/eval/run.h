// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/eval/judgements.h"

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

    /// The part of `query`, created if missing. The reference stays valid.
    QueryRun& query(std::string_view query);

    /// nullptr if the query is not in the run. "01" also finds "1": see QueryIndex.
    const QueryRun* find(std::string_view query) const;

    /// Copies `document` into the run.
    void add(QueryRun& query, std::string_view document, double score) {
        query.documents.push_back({names_.store(document), score});
    }

    /// Takes ownership of `text`, so that documents added to a query may be views into it: a reader
    /// with a whole file in memory then copies no names. The view is valid as long as the run.
    std::string_view keep(std::string text);

    const std::deque<QueryRun>& queries() const { return queries_; }
    std::deque<QueryRun>& queries() { return queries_; }

  private:
    std::string name_;
    NamePool names_;
    std::deque<QueryRun> queries_;
    std::deque<std::string> texts_;
    QueryIndex by_query_;
};

/// trec_eval's order, ignoring any rank column: by score, then by document name, both descending.
/// The name breaks ties, so the order doesn't depend on earlier sorting. NaN ranks as minus
/// infinity.
BRAID_API void rank_documents(std::vector<ScoredDocument>& documents);

}  // namespace braid

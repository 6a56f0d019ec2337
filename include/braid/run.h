// SPDX-License-Identifier: GPL-2.0-or-later
// A run of one query, as another system ranked it:
//
//     braid::Run run("mine");
//     braid::QueryRun& query = run.query("1");
//     run.add(query, "vim", 3.5);
//     run.add(query, "apt", 4.25);
//     braid::rank_documents(query.documents);  // apt, vim
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

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
    explicit Run(std::string name = "");
    ~Run();
    Run(Run&&) noexcept;
    Run& operator=(Run&&) noexcept;

    const std::string& name() const;
    void rename(std::string name);

    /// The part of `query`, created if missing. The reference stays valid.
    QueryRun& query(std::string_view query);

    /// nullptr if the query is not in the run. "01" also finds "1": see Judgements::find.
    const QueryRun* find(std::string_view query) const;

    /// Copies `document` into the run.
    void add(QueryRun& query, std::string_view document, double score);

    /// Takes ownership of `text`, so that documents added to a query may be views into it: a reader
    /// with a whole file in memory then copies no names. The view is valid as long as the run.
    std::string_view keep(std::string text);

    const std::deque<QueryRun>& queries() const;
    std::deque<QueryRun>& queries();

  private:
    struct Contents;
    std::unique_ptr<Contents> contents_;
};

/// trec_eval's order, ignoring any rank column: by score, then by document name, both descending.
/// The name breaks ties, so the order doesn't depend on earlier sorting. NaN ranks as minus
/// infinity.
BRAID_API void rank_documents(std::vector<ScoredDocument>& documents);

}  // namespace braid

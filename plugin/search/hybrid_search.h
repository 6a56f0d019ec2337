// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/plugin/search/search_planner.h"
#include "braid/plugin/search/search_request.h"

namespace braid {

/// Runs a plan, and where it has a `finding` puts documents that only topics find among the results
/// (docs/algorithms/hybrid.md): the words' best say what score a document must have, clusters are
/// searched for such without a word of the query, and only if there are some the query is run
/// again with them. Not installed.
class HybridSearch {
  public:
    /// Borrows all three. `enquire` has the plan's query; it has the last one that was run after
    /// `run`, and `plan.query` and `plan.run` say what that was and what it took.
    HybridSearch(Xapian::Enquire& enquire, const SearchRequest& request, SearchPlan& plan)
        : enquire_(enquire), request_(request), plan_(plan) {}

    Xapian::MSet run(Xapian::doccount first, Xapian::doccount count) const;

  private:
    Xapian::MSet with_similar(const Xapian::MSet& words, Xapian::doccount first,
                              Xapian::doccount count) const;
    bool is_over() const;
    Xapian::Query query_of(const TopicFinding& finding) const;
    void report(const FusedCounters& clusters, const Xapian::MSet& results) const;

    Xapian::Enquire& enquire_;
    const SearchRequest& request_;
    SearchPlan& plan_;
};

}  // namespace braid

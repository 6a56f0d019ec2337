// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <xapian.h>

#include "braid/plugin/search/search_planner.h"
#include "braid/search_request.h"

namespace braid {

/// A search in which Xapian leaves no document out: all matches are scored and put in order, and
/// the request's results are cut out of them afterwards, with the least score, sorting, collapsing,
/// paging, counts and match spies as if documents of a lower score were not there. For queries that
/// Xapian may not prune (whole_match.h), and for a least score of what Xapian joins.
///
/// Enquire::set_cutoff is no way to have the latter. Once the least score is above what the left
/// side of an AND_MAYBE can reach, which an OR becomes before, Xapian 1.4 goes on behind the
/// document that the right side stands at, and loses it. Several shards make that likely, since
/// each begins with the whole least score.
class WholeSearch {
  public:
    struct Entry {
        Xapian::doccount place = 0;      ///< In `matches`.
        Xapian::doccount collapsed = 0;  ///< So many more have the same collapse value.
    };

    /// Runs the query of `enquire`, whose order it sets as the request is. Reads the documents that
    /// match spies are to see.
    WholeSearch(const Xapian::Database& database, Xapian::Enquire& enquire,
                const SearchRequest& request);

    const Xapian::MSet& matches() const { return matches_; }
    const std::vector<Entry>& page() const { return page_; }
    /// Exactly.
    Xapian::doccount results() const { return results_; }

  private:
    Xapian::MSet matches_;
    std::vector<Entry> page_;
    Xapian::doccount results_ = 0;
};

/// Runs a plan, and where it has a `finding` puts documents that only topics find among the results
/// (docs/algorithms/hybrid.md): the words' best say what score a document must have, clusters are
/// searched for such without a word of the query, and only if there are some the query is run
/// again with them.
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

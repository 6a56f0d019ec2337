// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <xapian.h>

#include "braid/plugin/search/search_request.h"

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

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"
#include "braid/plugin/search/searcher.h"

namespace braid {

/// Which documents a query is learned from.
struct PoolOptions {
    enum class Source {
        /// From the top of each ranker's own list, in turn: the first of every ranker that counts
        /// in the model, then the second... A ranker that no pass over postings serves has none.
        kRankers,
        kModel,  ///< From the top of the model's list, with its weights as they are.
    };

    /// Documents at most. 0: all with a word of the query, or, where candidates are kAll, all
    /// that the database has.
    Xapian::doccount size = 1000;
    Source source = Source::kRankers;
    /// Beside these, the judged documents that the database has. A learner then sees relevant
    /// documents that a search with this pool's size would not have looked at.
    bool add_judged = false;

    bool operator==(const PoolOptions&) const = default;
};

/// Finds the candidates of queries. For one thread, as its database is.
class BRAID_API CandidatePool {
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

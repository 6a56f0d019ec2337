// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <xapian.h>

#include "braid/core/model/ranking_function.h"
#include "braid/model.h"
#include "braid/plugin/ranking/query_weights.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/search/rescore.h"
#include "braid/search_result.h"

namespace braid {

/// Serves models that one pass can't: ranks a first pass and rescores its best documents. For one
/// thread.
class RescoredSearch {
  public:
    /// Throws as model_fusion and PoolScorer do.
    RescoredSearch(const Xapian::Database& database, const FusionModel& model,
                   PoolScorerOptions options);

    /// The rankers that one pass serves, with the model's weights; BM25 where there are none.
    FusionModel first_pass() const;

    /// `found` is a first pass from its first place on, for `text` with or without filters.
    /// Once `limit` is over, where it isn't null, the list is the first pass's.
    RescoredList run(const Xapian::Query& text, const Xapian::MSet& found, std::size_t window,
                     const QueryInputs& inputs, const std::shared_ptr<TimeLimit>& limit = {});

    /// What weights the last query got, where they follow from it.
    const std::optional<QueryWeighting>& weighting() const { return weighting_; }

    /// How the scores of a list came about, for `explain`.
    ScoreParts parts(const RescoredList& list) const {
        return list.entries.empty() || list.stopped ? ScoreParts{}
                                                    : score_parts(function_, list.pool, 0);
    }
    Explanation explain(const RescoredList& list, const ScoreParts& parts,
                        const RescoredList::Entry& entry) const;

    /// In words, to put after the first pass's.
    std::string path(const RescoredList& list) const;

  private:
    PoolFusion multiplied(const std::vector<ScoreFactor>& factors,
                          std::span<const FirstPassDocument> first, std::size_t window) const;
    void explain_factors(const RescoredList::Entry& entry, Explanation& explanation) const;

    Xapian::Database database_;
    FusionModel model_;                     ///< Without factors;
    FusionModel factors_model_;             ///< these alone,
    std::optional<SourceRanking> factors_;  ///< read from the database.
    PoolScorerOptions options_;
    std::optional<QueryWeights> weights_;      ///< Where they follow from the query:
    std::optional<QueryWeighting> weighting_;  ///< of the last one.
    RankingFunction function_;
    PoolFusion fusion_;
    std::optional<PoolScorer> scorer_;  ///< Once needed.
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/ranking/query_weights.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/search_result.h"
#include "braid/training_set.h"

namespace braid {

/// How the rankers' scores for a pool become one score a document. `pool` has one query, with
/// bounds, and is the function's to change: normalised scores stay in it for explanations.
struct PoolFusion {
    std::string name;  ///< In words: "min-max, then weighted and added up".
    std::function<void(TrainingSet& pool, std::span<double> scores)> fuse;
};

/// What a model says: its normaliser, then its function. Throws ModelMismatch for weights that
/// depend on features of the query, UnknownComponent for an unknown form, InvalidArgument
/// for numbers that don't fit the form.
PoolFusion model_fusion(const FusionModel& model);
/// A normaliser, then what a learner learned, or a method that needs no learning: Borda,
/// reciprocal ranks, CombMNZ... For functions that need places (needs_places) the scorer has to be
/// made with PoolScorerOptions::places.
PoolFusion function_fusion(const Normalisation& normaliser, const RankingFunction& function);

/// A document of a first pass and its score there.
struct FirstPassDocument {
    Xapian::docid docid = 0;
    double score = 0;

    bool operator==(const FirstPassDocument&) const = default;
};

/// A first pass after rescoring.
struct RescoredList {
    struct Entry {
        Xapian::docid docid = 0;
        double score = 0;
        std::size_t first_place = 0;  ///< In the first pass, from 0.
        std::size_t row = kNoRow;     ///< In `pool` and `scores`.
    };
    static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

    std::vector<Entry> entries;  ///< Best first.
    PoolScores scores;           ///< The rankers' own, of the documents that were rescored.
    TrainingSet pool;            ///< The same as the fusion left them.
    double milliseconds = 0;     ///< Duration.
    bool stopped = false;        ///< The time was over: entries are the first pass's.
};

/// Ranks the first `window` documents of a first pass, which is best first, by what one pass can't
/// do: normalisers that look at all documents of a query, ranks, rankers that read more than a
/// posting. docs/algorithms/rescoring.md.
///
/// The window's documents have the fusion's scores, equal ones in the order of the first pass.
/// Those after it keep that order below all of the window: each is as far below the window's least
/// score as its first score is below that of the window's last document.
///
/// Cost: PoolScorer's for the window, and the fusion's. Throws as PoolScorer::score does, and
/// InvalidArgument where `first` has a document twice, a first score that rises, or the fusion
/// gives a score that is not finite.
RescoredList rescore(PoolScorer& scorer, const PoolFusion& fusion, const Xapian::Query& query,
                     std::span<const FirstPassDocument> first, std::size_t window,
                     const QueryInputs& inputs = {});

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

    /// A description to append to the first pass's.
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

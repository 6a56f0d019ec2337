// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/model/attention.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/search_request.h"

namespace braid {

class SourceRanking;

/// What a model makes of a query before it is searched for.
struct QueryWeighting {
    /// The rankers with the query's weights: a model of fixed ones, for FusedWeight and all others.
    FusionModel model;
    std::vector<double> weights;        ///< One a ranker.
    std::vector<double> mean_weights;   ///< Weights at the mean of the training queries.
    bool recurs = false;                ///< Weights were learned for this very query.
    std::vector<double> features = {};  ///< What other weights follow from; see feature_names().
    /// Documents that were scored before for features of result lists; 0 where there was no such
    /// first pass.
    std::size_t first_pass = 0;
    double milliseconds = 0;  ///< Time for all of it.

    /// How it came about, to put after a path: "; weights of this query from 8 of its features
    /// ...".
    std::string in_words() const;
};

/// The weights of a model whose weights follow from the query: docs/algorithms/list-loss.md (10).
/// They depend on the query, the database's statistics and its topic models, never on a shard, a
/// page or filters, and are known before matching: a search with them is one pass.
///
///     QueryWeights weights(database, model);
///     enquire.set_weighting_scheme(FusedWeight(weights.of(query).model));
///
/// Cost: a look-up for each word, the query's vectors where they are features, and the first pass
/// where features of result lists are. For one thread, as its database is.
class QueryWeights {
  public:
    /// Whether the model is such a one; others keep their weights.
    static bool are_in(const FusionModel& model);

    /// Throws as model_function does, ModelMismatch for features that a search doesn't compute, and
    /// InvalidArgument for a model that is none such.
    QueryWeights(const Xapian::Database& database, const FusionModel& model,
                 PoolScorerOptions options = {});
    /// The same for who has the model's function already.
    QueryWeights(const Xapian::Database& database, const FusionModel& model,
                 AttentionFunction function, PoolScorerOptions options);
    ~QueryWeights();
    QueryWeights(QueryWeights&&) noexcept;
    QueryWeights& operator=(QueryWeights&&) noexcept;

    const std::vector<std::string>& feature_names() const;

    /// Throws InvalidArgument where the query lacks an embedding, or has one that is of another
    /// dimension, all zero or not finite; ModelMismatch where the database lacks a topic model.
    QueryWeighting of(const Xapian::Query& query, const QueryInputs& inputs = {});

    /// The same for who has the model's sources open.
    QueryWeighting of(const Xapian::Query& query, const QueryInputs& inputs, SourceRanking& topics);

    /// Call it after the database was reopened.
    void reopened();

    /// As SourceRanking::stop_at, for the first pass that gives features of result lists.
    void stop_at(std::shared_ptr<TimeLimit> limit);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/eval/judgements.h"
#include "braid/core/model/fusion_model.h"
#include "braid/plugin/query/query_inputs.h"
#include "braid/plugin/ranking/query_feature_groups.h"
#include "braid/plugin/search/searcher.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/plugin/training/candidate_pool.h"

namespace braid {

struct FeatureOptions {
    QueryFeatureGroups query_features = {};  ///< What is written down of queries.
    SearcherOptions search = {};             ///< As the queries will be searched for.
    PoolOptions pool = {};
    bool places = false;  ///< Whether QueryRows::places are wanted.
    /// Topic vectors in memory: worth it from some hundred queries on. May be shared by extractors
    /// of the same database.
    std::shared_ptr<VectorTables> tables = {};
};

/// A query to learn from: free text, as `braid run` takes it.
struct TrainingQuery {
    std::string id;
    std::string text;
    QueryInputs inputs = {};  ///< Of both the search for its pool and its rows.

    bool operator==(const TrainingQuery&) const = default;
};

/// The part of a TrainingSet that is one query's. Rows ascend by the documents' numbers.
struct QueryRows {
    std::string query;                   ///< Its id.
    std::vector<std::string> documents;  ///< Names, as results of a search have them.
    std::vector<double> scores;          ///< Row-major: documents x rankers, without weights.
    std::vector<Grade> grades;           ///< kUnjudged where nobody judged.
    std::vector<Grade> unpooled;         ///< Of judged documents that aren't among `documents`.
    std::vector<double> bounds;          ///< By ranker.
    std::vector<float> places;           ///< As PoolScores::places, where they are wanted.
    std::vector<double> query_features;  ///< By FeatureExtractor::query_feature_names().
    std::string query_key;               ///< What the query is known by when it comes again.

    bool operator==(const QueryRows&) const = default;
};

/// Turns queries into rows to learn from: finds a pool of candidates and scores them by every
/// ranker of a model as they are served, to 1e-9 (see PoolScorer; docs/algorithms/features.md).
///
/// One object belongs to one thread, with its database. A writer may commit meanwhile: a query that
/// the writer outran is scored again on the newest state, from the start.
class BRAID_API FeatureExtractor {
  public:
    /// Opens the databases afresh for each state. Throws as Searcher and PoolScorer do.
    FeatureExtractor(const SearchPaths& paths, const FusionModel& model,
                     const FeatureOptions& options = {});
    /// The same by handles, which it reopens.
    FeatureExtractor(const Xapian::Database& database, const FusionModel& model,
                     const FeatureOptions& options = {});
    ~FeatureExtractor();
    FeatureExtractor(FeatureExtractor&&) noexcept;
    FeatureExtractor& operator=(FeatureExtractor&&) noexcept;

    /// The labels of the model's rankers.
    const std::vector<std::string>& rankers() const;
    const std::vector<std::string>& query_feature_names() const;

    /// `judged` may be nullptr. A query without words has no rows. Throws InvalidArgument where the
    /// query has no vector for a ranker, ModelMismatch where the database lacks a topic model, and
    /// Error where writers commit faster than it can work.
    QueryRows extract(const TrainingQuery& query, const QueryJudgements* judged);

  private:
    void open();

    class State;
    std::unique_ptr<State> state_;
};

}  // namespace braid

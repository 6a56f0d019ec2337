// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/progress.h"
#include "braid/core/eval/judgements.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/pool/training_set.h"
#include "braid/plugin/query/query_inputs.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/search/searcher.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/plugin/training/candidate_pool.h"

namespace braid {

/// Writes down the average length of its field in the database, as it is now, in each ranker of a
/// single field whose formula has one (kAverageLength) and that doesn't bring its own: so that
/// scores stay what weights were learned from. Throws ModelMismatch where the database
/// doesn't record a field.
BRAID_API void keep_field_lengths(const Xapian::Database& database,
                                  std::vector<RankerSpec>& rankers);

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

/// Makes an extractor with a database of its own, since Xapian's can't be shared. Called by the
/// threads that do the work, one at a time, once for each of them; all alike.
using ExtractorFactory = std::function<std::unique_ptr<FeatureExtractor>()>;

/// Calls `take` with the rows of each query, in the order of `queries`, from the caller's thread.
/// `judgements` may be nullptr. Keeps the rows of a few queries at a time. The rows are the same
/// for any number of threads. Ages are counted from when it begins, for queries that don't say from
/// when. Throws as FeatureExtractor does; Cancelled.
BRAID_API void extract_features(std::span<const TrainingQuery> queries,
                                const Judgements* judgements, const ExtractorFactory& make,
                                Executor& executor, const std::function<void(QueryRows)>& take,
                                const Progress& progress = {});

/// All of them as a set to learn from. Memory: the scores, 8 bytes each, and the names.
BRAID_API TrainingSet make_training_set(std::span<const TrainingQuery> queries,
                                        const Judgements* judgements, const ExtractorFactory& make,
                                        Executor& executor, const Progress& progress = {});

}  // namespace braid

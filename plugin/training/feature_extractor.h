// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/features.h"
#include "braid/judgements.h"
#include "braid/model.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/tables/vector_tables.h"
#include "braid/plugin/training/candidate_pool.h"
#include "braid/progress.h"
#include "braid/search_request.h"
#include "braid/searcher.h"
#include "braid/training_set.h"

namespace braid {

/// Turns queries into rows to learn from: finds a pool of candidates and scores them by every
/// ranker of a model as they are served, to 1e-9 (see PoolScorer; docs/algorithms/features.md).
///
/// One object belongs to one thread, with its database. A writer may commit meanwhile: a query that
/// the writer outran is scored again on the newest state, from the start.
class FeatureExtractor {
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

    /// A set of that one query. Its rows ascend by the documents' numbers; a query without words
    /// has none. `judged` may be nullptr. Throws InvalidArgument where the query has no vector for
    /// a ranker, ModelMismatch where the database lacks a topic model, and Error where writers
    /// commit faster than it can work.
    TrainingSet extract(const TrainingQuery& query, const QueryJudgements* judged);

  private:
    void open();

    class State;
    std::unique_ptr<State> state_;
};

/// Makes an extractor with a database of its own, since Xapian's can't be shared. Called by the
/// threads that do the work, one at a time, once for each of them; all alike.
using ExtractorFactory = std::function<std::unique_ptr<FeatureExtractor>()>;

/// Calls `take` with a set of each query, in the order of `queries`, from the caller's thread.
/// `judgements` may be nullptr. Keeps a few queries at a time. The sets are the same
/// for any number of threads. Ages are counted from when it begins, for queries that don't say from
/// when. Throws as FeatureExtractor does; Cancelled.
void extract_features(std::span<const TrainingQuery> queries, const Judgements* judgements,
                      const ExtractorFactory& make, Executor& executor,
                      const std::function<void(TrainingSet)>& take, const Progress& progress = {});

/// All of them as one set. Memory: the scores, 8 bytes each, and the names.
TrainingSet make_training_set(std::span<const TrainingQuery> queries, const Judgements* judgements,
                              const ExtractorFactory& make, Executor& executor,
                              const Progress& progress = {});

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
// A model learned from judged queries, and installed:
//
//     #include "braid/config.h"
//     #include "braid/read.h"
//     #include "braid/train.h"
//
//     const braid::SearchPaths paths{{"packages"}};
//     const braid::FusionModel start = braid::load_model("standard");
//     std::vector<braid::TrainingQuery> queries;
//     for (const braid::SourceQuery& query : braid::read_queries("topics")) {
//         queries.push_back({query.id, query.text});
//     }
//     const braid::Judgements judgements = braid::read_judgements("qrels");
//     const auto executor = braid::make_executor(0);
//     const braid::TrainingSet set =
//         braid::make_training_set(paths, start, queries, &judgements, {}, *executor);
//     const braid::LearnedModel learned =
//         braid::learn_model({.scale = true}, start.rankers, set, nullptr, *executor);
//     braid::install_model(paths.databases, learned.model);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/judgements.h"
#include "braid/model.h"
#include "braid/progress.h"
#include "braid/search_request.h"
#include "braid/searcher.h"
#include "braid/training_set.h"

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

/// Writes down the average length of its field in the database, as it is now, in each ranker of a
/// single field whose formula has one and that doesn't bring its own: so that
/// scores stay what weights were learned from. Throws ModelMismatch where the database
/// doesn't record a field.
BRAID_API void keep_field_lengths(const Xapian::Database& database,
                                  std::vector<RankerSpec>& rankers);

struct FeatureOptions {
    QueryFeatureGroups query_features = {};  ///< What is written down of queries.
    SearcherOptions search = {};             ///< As the queries will be searched for.
    PoolOptions pool = {};
    bool places = false;  ///< Whether TrainingSet::places are wanted.
    /// Topic vectors in memory: worth it from some hundred queries on.
    std::shared_ptr<VectorTables> tables = {};
};

/// A query to learn from: free text, as `braid run` takes it.
struct TrainingQuery {
    std::string id;
    std::string text;
    QueryInputs inputs = {};  ///< Of both the search for its pool and its rows.

    bool operator==(const TrainingQuery&) const = default;
};

/// For each query a pool of candidates, scored by every ranker of the model as they are served, to
/// 1e-9 (docs/algorithms/features.md). `judgements` may be null. A query without words has no
/// candidates. The set is the same for any number of threads. A writer may commit meanwhile: a
/// query that it outran is scored again on the newest state. Memory: the scores, 8 bytes each, and
/// the names. Throws as Searcher does, InvalidArgument where a query has no vector for a ranker,
/// ModelMismatch where the database lacks a topic model, and Cancelled.
BRAID_API TrainingSet make_training_set(const SearchPaths& paths, const FusionModel& model,
                                        std::span<const TrainingQuery> queries,
                                        const Judgements* judgements, const FeatureOptions& options,
                                        Executor& executor, const Progress& progress = {});

/// Installs `model` in each of the databases (plugin/store/settings_store.h). Opens all before
/// writing to one, and waits up to a minute for another writer's lock. Throws Error and
/// DatabaseLocked as open_for_writing does, and as store_fusion_model does; changes nothing then.
/// `record` says by what and on what evidence, for the list that each database keeps
/// (load_installed_models); its time and model are set here.
BRAID_API void install_model(const std::vector<std::string>& databases, const FusionModel& model,
                             InstalledModel record = {});

/// Goes back to what ranked before the last installation: returns what ranks now, nothing for BM25.
/// The installation taken back leaves the list. A ranking by topic models that were learned anew
/// since then takes those of the same names. Throws Error if the list is empty, ModelMismatch for a
/// topic model that is no longer there, and as install_model does; changes nothing then.
BRAID_API std::optional<InstalledModel> undo_install(const std::vector<std::string>& databases);

/// Checks that installing can work, before a model exists: throws Error and, if another writer
/// keeps the lock for 15 seconds, DatabaseLocked. Changes nothing.
BRAID_API void check_installable(const std::vector<std::string>& databases);

}  // namespace braid

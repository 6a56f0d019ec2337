// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>

#include "braid/core/learn/job/cross_validation.h"
#include "braid/core/learn/job/training_job.h"
#include "braid/features.h"
#include "braid/judgements.h"
#include "braid/model.h"
#include "braid/progress.h"
#include "braid/searcher.h"

namespace braid {

/// The rankings that a learned one has to beat before it is installed.
struct ReferenceModels {
    /// The database's own model; nothing if BM25 ranks it, or if `unmeasured` says why not.
    std::optional<FusionModel> installed = {};
    std::string unmeasured = {};  ///< "its weights follow from the query"
};

/// Drops an installed model that can't be measured with `queries`, and says why: its weights
/// follow from features of the query, or it ranks by vectors that the queries don't have.
ReferenceModels measurable(std::optional<FusionModel> installed,
                           std::span<const TrainingQuery> queries);

/// Measures `installed`, BM25 with its defaults and BM25 of every k1 and b of a grid by the job's
/// measure, each on what it finds itself: the best options.pool.size documents of its own list,
/// or of BM25's list for the grid. Values are by query, in order. Queries are scored one at a time,
/// so the grid costs no memory. `shown_only`: each list without documents that nobody graded, as
/// shown_part has it. Throws as make_training_set does.
References measure_references(const SearchPaths& paths, const ReferenceModels& models,
                              std::span<const TrainingQuery> queries, const Judgements& judgements,
                              FeatureOptions options, const TrainingJob& job, bool shown_only,
                              Executor& executor, const Progress& progress = {});

/// The values of k1 and b that are tried.
std::vector<RankerSpec> bm25_grid();

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/job/tuning.h"
#include "braid/core/learn/learner.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/model.h"

namespace braid {

/// How scores are made comparable before a learner sees them.
struct Preparation {
    /// The columns that are kept, in this order and under the names of the first ones; empty: all.
    std::vector<std::size_t> columns = {};
    Normalisation normaliser = {};
    /// Adds list_statistics of the normalised scores to the query features.
    bool list_statistics = false;
    /// Divisors of the normalised scores, one a ranker; empty: none. The weights absorb a fixed
    /// divisor, so serving costs no more.
    std::vector<double> scales = {};
};

/// The mean over queries of the standard deviation of each ranker's scores, which makes weights of
/// rankers of all scales comparable. 1 for a ranker that is constant in every query or whose scores
/// differ by less than 1e-300. Larger if scores would otherwise exceed kLargestLearnedScore.
std::vector<double> ranker_scales(const TrainingSet& set);

/// The columns of these numbers, under the names of the first ones.
TrainingSet with_columns(const TrainingSet& set, const std::vector<std::size_t>& columns);

/// The set as learners read it. Throws as `normalise`, and InvalidArgument for a wrong number of
/// scales, or one that is not above 0.
BRAID_API TrainingSet prepared_set(TrainingSet set, const Preparation& how);

/// Converts `weights` of the scores of `raw` to weights of equal spread for `ready`, the same set
/// prepared; they sum to 1. Empty if `weights` is, or all 0. Exact if only scales prepared the set.
std::vector<double> prepared_weights(const std::vector<double>& weights, const TrainingSet& raw,
                                     const TrainingSet& ready);

/// Whether a document of the query has a grade, in the pool or out of it.
bool is_judged(const TrainingSet& set, std::size_t query);

/// The measure of each query in a mean.
struct QueryValues {
    std::vector<std::size_t> queries;  ///< Indexes into the set, ascending.
    std::vector<double> values;

    /// 0 without queries.
    double mean() const;
};

/// Every judged query counts; one on which nothing can score counts 0, or is skipped if
/// `skip_empty`. `set` is prepared.
QueryValues measure_queries(const TrainingSet& set, const RankingFunction& function,
                            const std::string& measure, const MeasureOptions& judging,
                            bool skip_empty, Executor& executor);

/// options.measure and the job's other measures by their full names, each once.
std::vector<std::string> reported_measures(const TrainingJob& job);

/// Means by the reported measures. `set` is prepared. Throws Cancelled.
std::map<std::string, double> measure_means(const TrainingJob& job, const TrainingSet& set,
                                            const RankingFunction& function, Executor& executor,
                                            const Progress& progress = {});

/// The learned function, and its fusion model.
struct TrainedModel {
    FusionModel model;  ///< For raw scores, with the scales in its weights and a full provenance.
    TrainingResult result;
    Preparation preparation;  ///< To apply before result.function.
};

/// Learns from raw scores. `rankers` are the model's, one for each of the set's. `validation` may
/// be nullptr. Throws as `fit_learner`, `normalise` and `validate(FusionModel)` do, and
/// InvalidArgument for scales that the learned function can't absorb or that differ by more than
/// weights can.
TrainedModel train_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                         const TrainingSet& train, const TrainingSet* validation,
                         Executor& executor, const Progress& progress = {});

}  // namespace braid

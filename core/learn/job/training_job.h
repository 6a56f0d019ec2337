// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/job/tuning.h"
#include "braid/core/learn/learner.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/pool/normalisers.h"

namespace braid {

/// How scores are made comparable before a learner sees them.
struct Preparation {
    Normalisation normaliser = {};
    /// Adds list_statistics of the normalised scores to the query features.
    bool list_statistics = false;
    /// Divisors of the normalised scores, one a ranker; empty: none. The weights absorb a fixed
    /// divisor, so it costs nothing in serving.
    std::vector<double> scales = {};
};

/// The mean over queries of the standard deviation of each ranker's scores, which makes weights of
/// rankers of all scales comparable. 1 for a ranker that is constant in every query or whose scores
/// differ by less than 1e-300. Larger if scores would otherwise exceed kLargestLearnedScore.
BRAID_API std::vector<double> ranker_scales(const TrainingSet& set);

/// The set as learners read it. Throws as `normalise`, and InvalidArgument for a wrong number of
/// scales, or one that is not above 0.
BRAID_API TrainingSet prepared(TrainingSet set, const Preparation& how);

/// Converts `weights` of the scores of `raw` to weights of equal spread for `ready`, the same set
/// prepared; they sum to 1. Empty if `weights` is, or all 0. Exact if only scales prepared the set.
BRAID_API std::vector<double> prepared_weights(const std::vector<double>& weights,
                                               const TrainingSet& raw, const TrainingSet& ready);

/// What to learn, and how; the rankers and documents come from the training set.
struct TrainingJob {
    std::string learner = "auto";
    LearnerOptions options = {};  ///< `validation` is ignored: it is a separate argument.
    Normalisation normaliser = {};
    /// Divides by ranker_scales of the training queries, after normalising. Also done, with a
    /// warning, if scores are too large for the learner (kLargestLearnedScore).
    bool scale = false;
    /// Adds list_statistics to the query features, for learners of query-dependent weights and sets
    /// without query features.
    bool list_statistics = false;
    /// Scales of a model to continue, used instead of new ones.
    std::vector<double> scales = {};
    /// Weights of raw scores, none negative, to which learned weights are held back and compared:
    /// those that rank today. Empty, or all 0: uniform weights of prepared scores.
    std::vector<double> anchor = {};
    /// Learner settings to try first (`tune`), on the validation set or else on the queries split
    /// into `tuning_parts`; the model uses the best.
    std::vector<TunedSetting> tuned = {};
    std::size_t tuning_parts = 5;
    std::vector<std::string> measures = {};  ///< Measures to report beside options.measure.
    /// Number of held-out parts that decide the share of the learned weights to keep
    /// (fit_held_back); 0: keeps all.
    std::size_t hold_back = 0;
    bool skip_empty = false;  ///< Skips queries without a relevant document in means.
    /// Measures every step on the training queries (CurvePoint::watched[0]) and on `held_out`
    /// ([1]), without effect on the result; cross-validation uses each fold's tested part as
    /// `held_out`.
    bool follow = false;
    const TrainingSet* held_out = nullptr;  ///< Raw, like the training set. Borrowed; may be null.
};

/// The measure of each query in a mean.
struct QueryValues {
    std::vector<std::size_t> queries;  ///< Indexes into the set, ascending.
    std::vector<double> values;

    /// 0 without queries.
    BRAID_API double mean() const;
};

/// Every judged query counts; one on which nothing can score counts 0, or is skipped if
/// `skip_empty`. `set` is prepared.
BRAID_API QueryValues measure_queries(const TrainingSet& set, const RankingFunction& function,
                                      const std::string& measure, const MeasureOptions& judging,
                                      bool skip_empty, Executor& executor);

/// options.measure and the job's other measures by their full names, each once.
BRAID_API std::vector<std::string> reported_measures(const TrainingJob& job);

/// Means by the reported measures. `set` is prepared. Throws Cancelled.
BRAID_API std::map<std::string, double> measure_means(const TrainingJob& job,
                                                      const TrainingSet& set,
                                                      const RankingFunction& function,
                                                      Executor& executor,
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
BRAID_API TrainedModel train_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                                   const TrainingSet& train, const TrainingSet* validation,
                                   Executor& executor, const Progress& progress = {});

/// Rankers for a file's features of these names.
BRAID_API std::vector<RankerSpec> feature_rankers(std::span<const std::string> names);

}  // namespace braid

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
    /// Whether list_statistics of the normalised scores become query features.
    bool list_statistics = false;
    /// One number a ranker that its normalised scores are divided by; empty: none are. A fixed
    /// number becomes a part of the weight in the end, so it costs nothing when documents are
    /// served.
    std::vector<double> scales = {};
};

/// The mean over queries of the standard deviation of each ranker's scores: what makes weights of
/// rankers of all sizes comparable. 1 for a ranker that is constant in every query or whose scores
/// differ by less than 1e-300. Larger where scores would still be beyond kLargestLearnedScore.
BRAID_API std::vector<double> ranker_scales(const TrainingSet& set);

/// The set as a learner gets it. Throws as `normalise`, and InvalidArgument for another number of
/// scales than there are rankers, or one that is not above 0.
BRAID_API TrainingSet prepared(TrainingSet set, const Preparation& how);

/// `weights` of the scores of `raw` as weights of the same spread of `ready`, which is that set
/// prepared; they sum to 1. Empty where `weights` is, or all 0. Exact where what prepared the set
/// were scales alone.
BRAID_API std::vector<double> prepared_weights(const std::vector<double>& weights,
                                               const TrainingSet& raw, const TrainingSet& ready);

/// What is to be learned, and how; the rankers and documents come from the training set.
struct TrainingJob {
    std::string learner = "auto";
    LearnerOptions options = {};  ///< `validation` is ignored: it is an argument of its own.
    Normalisation normaliser = {};
    /// Divide by ranker_scales of the training queries, after normalising. Done unasked, with a
    /// warning, where scores are too large for the learner as they are (kLargestLearnedScore).
    bool scale = false;
    /// Add list_statistics to the query features, for learners of query-dependent weights and sets
    /// that know nothing else of queries.
    bool list_statistics = false;
    /// Instead of new ones, where a model is continued that has some.
    std::vector<double> scales = {};
    /// Weights of raw scores, none negative, that learned ones are held back to and compared with:
    /// those that rank today. Empty, or all 0: uniform weights of prepared scores.
    std::vector<double> anchor = {};
    /// Settings of the learner whose values are tried first (`tune`), on the validation set or else
    /// with the queries dealt into so many parts; the model has the best of them.
    std::vector<TunedSetting> tuned = {};
    std::size_t tuning_parts = 5;
    std::vector<std::string> measures = {};  ///< What reports show beside options.measure.
    /// Parts that queries are held out in to see how much of the learned weights to keep
    /// (fit_held_back); 0: all of them are kept.
    std::size_t hold_back = 0;
    bool skip_empty = false;  ///< Leave queries without a relevant document out of means.
    /// Measure every step on the queries learned from (CurvePoint::watched[0]) and on `held_out`
    /// ([1]), which decides nothing; cross-validation puts each fold's tested part there.
    bool follow = false;
    const TrainingSet* held_out = nullptr;  ///< Raw, as the training set. Borrowed; may be none.
};

/// A measure of each query that counts in a mean.
struct QueryValues {
    std::vector<std::size_t> queries;  ///< Places in the set, ascending.
    std::vector<double> values;

    /// 0 where there are none.
    BRAID_API double mean() const;
};

/// Every judged query counts; one on which nothing can score counts 0, or not at all if
/// `skip_empty`. `set` is prepared.
BRAID_API QueryValues measure_queries(const TrainingSet& set, const RankingFunction& function,
                                      const std::string& measure, const MeasureOptions& judging,
                                      bool skip_empty, Executor& executor);

/// options.measure and the job's other measures by their full names, each once.
BRAID_API std::vector<std::string> reported_measures(const TrainingJob& job);

/// Their means. `set` is prepared. Throws Cancelled.
BRAID_API std::map<std::string, double> measure_means(const TrainingJob& job,
                                                      const TrainingSet& set,
                                                      const RankingFunction& function,
                                                      Executor& executor,
                                                      const Progress& progress = {});

/// What was learned, in the learner's own terms and as a model.
struct TrainedModel {
    FusionModel model;  ///< For raw scores, with the scales in its weights and a full provenance.
    TrainingResult result;
    Preparation preparation;  ///< What result.function needs before it.
};

/// Learns from raw scores. `rankers` are the model's, one for each of the set's. `validation` may
/// be nullptr. Throws as `fit_learner`, `normalise` and `validate(FusionModel)` do, and
/// InvalidArgument for scales where what the learner learns can't take them in, or that differ by
/// more than weights can.
BRAID_API TrainedModel train_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                                   const TrainingSet& train, const TrainingSet* validation,
                                   Executor& executor, const Progress& progress = {});

/// Rankers that stand for a file's features of those names.
BRAID_API std::vector<RankerSpec> feature_rankers(std::span<const std::string> names);

}  // namespace braid

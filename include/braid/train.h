// SPDX-License-Identifier: GPL-2.0-or-later
// Weights learned from scores in a LETOR file:
//
//     #include "braid/config.h"
//     #include "braid/read.h"
//
//     const braid::TrainingSet set = braid::read_training_set("train.txt");
//     braid::TrainingJob job;
//     job.learner = "genm-bat";
//     job.options.measure = "ndcg@10";
//     job.scale = true;
//     const auto executor = braid::make_executor(0);
//     const braid::LearnedModel learned = braid::learn_model(
//         job, braid::feature_rankers(set.rankers), set, nullptr, *executor);
//     const std::string yaml = braid::format_model(learned.model);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/evaluate.h"
#include "braid/model.h"
#include "braid/parameters.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

/// The state from which a learner can resume: plain numbers by name, as in a model file. Each
/// learner defines its own.
struct LearnerState {
    std::map<std::string, std::vector<double>> values;

    bool operator==(const LearnerState&) const = default;
};

struct LearnerOptions {
    std::uint64_t seed = kDefaultSeed;
    /// The measure to optimise. Learners that don't optimise a measure use it for their learning
    /// curve and for `validation`.
    std::string measure = "map";
    MeasureOptions judging = {};  ///< Which grades are relevant.
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// Validation queries: the result is the step of the learner that is best on them. Borrowed for
    /// the call. nullptr: the last step or the best on the training set.
    const TrainingSet* validation = nullptr;
    /// Sets measured at every point of the learning curve, without effect on the result; with the
    /// same rankers as the training set. Borrowed for the call. Each step costs a ranking of all
    /// their documents.
    std::vector<const TrainingSet*> watched = {};
    /// From an earlier result of the same learner and rankers; only for resumable learners.
    std::optional<LearnerState> state = {};
    /// Weights to fall back to if judgements decide nothing, for the set's scores as given: one a
    /// ranker, none negative, sum 1. Empty: uniform weights.
    std::vector<double> anchor = {};
};

/// A parameter or choice of a learner and its values to try.
struct TunedSetting {
    std::string name;
    std::vector<std::string> values;  ///< As written by a user: "0.1", "even".
};

/// Other settings of one ranker, of which training queries may choose one.
struct RankerVariants {
    std::size_t ranker = 0;  ///< Its column in the training set.
    std::size_t first = 0;   ///< The columns from here on are those of the variants.
};

/// What to learn, and how; the rankers and documents come from the training set.
struct TrainingJob {
    std::string learner = "auto";
    LearnerOptions options = {};  ///< `validation` is ignored: it is a separate argument.
    Normalisation normaliser = {};
    /// Divides by ranker_scales of the training queries, after normalising. Also done, with a
    /// warning, if scores are too large for the learner.
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
    /// A variant takes its ranker's place where it gains alone, on held-out queries, more than two
    /// standard errors by options.measure. The model has the columns before `variants->first`.
    std::optional<RankerVariants> variants = {};
    std::vector<std::string> measures = {};  ///< Measures to report beside options.measure.
    /// Number of held-out parts that decide the share of the learned weights to keep;
    /// 0: keeps all.
    std::size_t hold_back = 0;
    bool skip_empty = false;  ///< Skips queries without a relevant document in means.
    /// Measures every step on the training queries (CurvePoint::watched[0]) and on `held_out`
    /// ([1]), without effect on the result; cross-validation uses each fold's tested part as
    /// `held_out`.
    bool follow = false;
    const TrainingSet* held_out = nullptr;  ///< Raw, like the training set. Borrowed; may be null.
};

/// A model for raw scores, with its provenance and learning curve, and what was odd about the set
/// or asked and not done, as sentences.
struct LearnedModel {
    FusionModel model;
    std::vector<std::string> warnings;
};

/// Learns from raw scores. `rankers` are the model's, one for each of the set's. `validation` may
/// be null. Throws UnknownComponent for a learner, parameter, choice, normaliser or measure there
/// isn't; InvalidArgument for a value out of range, a set that is not valid or has nothing to learn
/// from, and scales that the weights can't take in; Cancelled.
BRAID_API LearnedModel learn_model(const TrainingJob& job, std::vector<RankerSpec> rankers,
                                   const TrainingSet& set, const TrainingSet* validation,
                                   Executor& executor, const Progress& progress = {});

/// Rankers for a file's features of these names.
BRAID_API std::vector<RankerSpec> feature_rankers(std::span<const std::string> names);

}  // namespace braid

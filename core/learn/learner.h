// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/base/export.h"
#include "braid/core/base/parameters.h"
#include "braid/core/base/progress.h"
#include "braid/core/base/random.h"
#include "braid/core/base/registry.h"
#include "braid/core/eval/measure.h"
#include "braid/core/model/fusion_model.h"
#include "braid/core/model/ranking_function.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// The largest score, in size, that a learner computes with: squares, products with other scores
/// and exponents of its steps stay far inside what a double holds.
inline constexpr double kLargestLearnedScore = 1e12;

/// What a learner needs to go on where it stopped: plain numbers by name, as a model file holds
/// them. Which ones is the learner's own business.
struct LearnerState {
    std::map<std::string, std::vector<double>> values;

    bool operator==(const LearnerState&) const = default;
};

struct LearnerOptions {
    std::uint64_t seed = kDefaultSeed;
    /// What is to be good: learners that optimise a measure itself take it as their aim, all
    /// others as the measure of their learning curve and of `validation`.
    std::string measure = "map";
    MeasureOptions judging = {};  ///< Which grades are relevant.
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// Queries that weights are not fitted to: of all a learner passes through, the ones best
    /// there are its result. Borrowed for the call. nullptr: the last or best of training.
    const TrainingSet* validation = nullptr;
    /// Sets that every point of the learning curve is measured on, and that decide nothing; the
    /// same rankers as those learned from. Borrowed for the call. Measuring takes the time that
    /// the ranking of all their documents takes, at every step.
    std::vector<const TrainingSet*> watched = {};
    /// From an earlier result of the same learner and rankers; only for resumable learners.
    std::optional<LearnerState> state = {};
    /// The weights to fall back to where judgements decide nothing, for the set's scores as they
    /// are: one a ranker, none negative, sum 1. Empty: uniform weights.
    std::vector<double> anchor = {};
};

/// How a fit went. Not converging is a result, not an error.
struct TrainingResult {
    RankingFunction function;
    std::string objective_name;  ///< "smooth map"
    double objective = 0;        ///< Of the fit that `function` comes from.
    /// What no weights can undercut, for learners that minimise and know it: where the fit ended,
    /// the least objective is between this and the last of the curve.
    std::optional<double> bound = {};
    std::size_t iterations = 0;
    std::string stop_reason;  ///< "converged", "iteration limit", ...
    std::vector<CurvePoint> curve;
    std::vector<std::string> warnings;  ///< Sentences: what was odd, or asked and not done.
    LearnerState state;                 ///< Empty where the learner is not resumable.
    /// What a fit to part of the queries needs instead of the options' to come out as this one did,
    /// of a learner that tries settings itself: so that they needn't be tried again.
    ParameterMap settled = {};
};

/// The most that a learner reads of documents' grades, under any of its choices.
enum class GradeUse {
    kNone,       ///< Nothing: it learns without judgements.
    kRelevance,  ///< Whether they are at options.judging.relevant_from or above.
    kByMeasure,  ///< What options.measure reads.
    kGrades,     ///< Which of two is the higher, or by how much.
};

/// One entry of the learner registry.
struct LearnerInfo {
    std::string name;     ///< "genm-bat"
    std::string summary;  ///< One line for help texts and tables.
    std::string source;   ///< The paper, or "" for what is our own.
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
    bool needs_judgements = true;
    GradeUse grades = GradeUse::kGrades;
    bool aims_at_measure = false;  ///< Whether what it optimises is options.measure itself.
    /// Of those: the measures that it can aim at, "ndcg@k" for any cut-off; empty: all of them.
    std::vector<std::string> measures = {};
    bool resumable = false;
    /// Whether it needs TrainingSet::query_features, but for the choice ("embedding=query") with
    /// which it doesn't.
    bool needs_query_features = false;
    std::string featureless_with = {};
    /// The choice ("graph=topics") with which it needs TrainingSet::places, as its result does.
    std::string places_with = {};
    /// The forms its result can have, as FunctionForm names them.
    std::vector<std::string> forms = {"linear"};
    /// Whether a number that each ranker's scores are divided by can become part of the result.
    bool takes_scales = true;
    /// Whether a weight of its result can be negative, which decides how a model can be served, but
    /// for the choice ("weights=non-negative") with which none is.
    bool may_weigh_negatively = false;
    std::string non_negative_with = {};
    /// Of learners whose weights depend on the query: the one that finds the best weights for all
    /// queries by the same loss, which reports compare with. "" for all others.
    std::string fixed_counterpart = {};
    /// Whether held-out queries have decided already how much of its result is learned and how much
    /// the anchor's.
    bool holds_back = false;
    /// What makes a database's raw scores fit for it, as `braid train --normalise` takes it.
    std::string normaliser = "scale";
    /// Gets a valid set that can be learned from, and options with every parameter and choice
    /// filled in. The result has the same bits at any number of threads.
    std::function<TrainingResult(const TrainingSet&, const LearnerOptions&, Executor&,
                                 const Progress&)>
        fit;
};

/// Every learner there is. A new one is a line in core/learn/job/registry.cpp.
BRAID_API const Registry<LearnerInfo>& learners();

/// `options` with every parameter and choice of the learner filled in. Throws UnknownComponent for
/// one there isn't, InvalidArgument for a value out of range and for a parameter that the choices
/// leave unread.
BRAID_API LearnerOptions resolve_options(const LearnerInfo& info, const LearnerOptions& options);

/// Learns from `set`. Throws UnknownComponent for a learner, parameter, choice or measure there
/// isn't; InvalidArgument for a value out of range, a set that is not valid or has a score beyond
/// kLargestLearnedScore (naming ranker, document and query), where no query has
/// a relevant document and another beside it (for learners that need judgements) or query features
/// are missing (for those that need them), a validation set of other rankers or without a query to
/// judge by, a watched set of other rankers, and a state of another learner or for other rankers;
/// Cancelled where `progress` says so.
BRAID_API TrainingResult fit_learner(const std::string& learner, const TrainingSet& set,
                                     const LearnerOptions& options, Executor& executor,
                                     const Progress& progress = {});

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/core/eval/measure.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/parameters.h"
#include "braid/progress.h"
#include "braid/train.h"
#include "braid/training_set.h"

namespace braid {

/// The largest magnitude of a score that a learner accepts: squares, products of scores and
/// exponents stay far below the limits of a double.
inline constexpr double kLargestLearnedScore = 1e12;

/// One of several points that a fit began at, and how it went from there.
struct StartCurve {
    std::vector<double> weights;  ///< Sum 1.
    std::vector<CurvePoint> curve;
};

/// How a fit went. Not converging is a result, not an error.
struct TrainingResult {
    RankingFunction function;
    /// The sum of magnitudes of the weights as the learner had them. `function` keeps their shares
    /// alone, which rank alike; a loss of scores knows the difference. 1: they are the same.
    double scale = 1;
    std::string objective_name;  ///< "smooth map"
    double objective = 0;        ///< Objective of `function`.
    /// A lower bound of the objective, from learners that minimise and know one: the minimum lies
    /// between it and the last objective of the curve.
    std::optional<double> bound = {};
    std::size_t iterations = 0;
    std::string stop_reason;  ///< "converged", "iteration limit", ...
    std::vector<CurvePoint> curve;
    /// Every start, if there were several; `curve` is that of the best.
    std::vector<StartCurve> starts = {};
    std::vector<std::string> warnings;  ///< Oddities and requests not met, a sentence each.
    LearnerState state;                 ///< Empty if the learner is not resumable.
    /// Parameters that the learner chose by trial. With them in place of the options', a fit to
    /// part of the queries needs no new trials.
    ParameterMap settled = {};
};

/// The most that a learner reads from grades, under any of its choices.
enum class GradeUse {
    kNone,       ///< It learns without judgements.
    kRelevance,  ///< Whether grades are at options.judging.relevant_from or above.
    kByMeasure,  ///< As options.measure does.
    kGrades,     ///< Which of two grades is higher, or by how much.
};

/// How a learner learns: what it reads and takes, what comes out of it, and the function.
struct LearnerMethod {
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
    bool needs_judgements = true;
    GradeUse grades = GradeUse::kGrades;
    bool aims_at_measure = false;  ///< Optimises options.measure itself.
    /// The measures that it can optimise, "ndcg@k" for any cut-off; empty: all.
    std::vector<std::string> measures = {};
    bool resumable = false;
    /// Needs TrainingSet::query_features, except with the choice `featureless_with`
    /// ("embedding=query").
    bool needs_query_features = false;
    std::string featureless_with = {};
    /// The choice ("graph=topics") with which it and its result need TrainingSet::places.
    std::string places_with = {};
    /// The forms its result can have, as FunctionForm names them.
    std::vector<std::string> forms = {"linear"};
    /// Divisors of the rankers' scores can become part of its result.
    bool takes_scales = true;
    /// Its result may have negative weights, which decides how a model can be served, except with
    /// the choice `non_negative_with` ("weights=non-negative").
    bool may_weigh_negatively = false;
    std::string non_negative_with = {};
    /// For query-dependent weights: the learner that finds the best fixed weights by the same loss,
    /// for comparison in reports. Otherwise "".
    std::string fixed_counterpart = {};
    /// Held-out queries have already decided the shares of the learned weights and of the anchor.
    bool holds_back = false;
    /// The normaliser for a database's raw scores, as `braid train --normalise` takes it.
    std::string normaliser = "scale";
    /// Expects a valid set that can be learned from, and options with every parameter and choice
    /// filled in. The result has the same bits at any number of threads.
    std::function<TrainingResult(const TrainingSet&, const LearnerOptions&, Executor&,
                                 const Progress&)>
        fit;
};

/// One entry of the learner registry.
struct LearnerInfo : LearnerMethod {
    std::string name;     ///< "genm-bat"
    std::string summary;  ///< One line for help texts and tables.
    std::string source;   ///< The paper, or "" for Braid's own.
};

/// All learners. A new one is a line in core/learn/job/registry.cpp.
const Registry<LearnerInfo>& learners();

/// `options` with every parameter and choice of the learner filled in. Throws UnknownComponent for
/// an unknown one, InvalidArgument for a value out of range and for a parameter that the choices
/// leave unused.
LearnerOptions resolve_options(const LearnerInfo& info, const LearnerOptions& options);

/// Learns from `set`. Throws UnknownComponent for an unknown learner, parameter, choice or measure.
/// Throws InvalidArgument for a value out of range; an invalid set or one with a score beyond
/// kLargestLearnedScore (naming ranker, document and query); no query with a relevant and another
/// document (if the learner needs judgements); missing query features (if it needs them); a
/// validation set of other rankers or without a query to judge by; a watched set of other rankers;
/// and a state of another learner or for other rankers. Throws Cancelled if `progress` asks for it.
TrainingResult fit_learner(const std::string& learner, const TrainingSet& set,
                           const LearnerOptions& options, Executor& executor,
                           const Progress& progress = {});

}  // namespace braid

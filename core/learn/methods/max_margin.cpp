// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/pair_loss.h"
#include "braid/core/learn/losses/permutations.h"
#include "braid/core/learn/losses/ranking_loss.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/bundle.h"
#include "braid/core/learn/solvers/convex_learner.h"

namespace braid {
namespace {

PairLossOptions pair_options(const ChoiceMap& choices) {
    PairLossOptions options;
    options.squared = choices.at("loss") == "squared";
    if (choices.at("costs") == "even") options.costs = PairLossOptions::Costs::kEven;
    if (choices.at("costs") == "queries-and-grades") {
        options.costs = PairLossOptions::Costs::kQueriesAndGrades;
    }
    return options;
}

TrainingResult fit_ranksvm(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const PairLoss loss(set, pair_options(options.choices));
    return fit_convex("ranksvm", "1/2 |w|^2 + c (loss of pairs), the less the better", set, loss,
                      options, executor, progress);
}

}  // namespace

LearnerMethod ranksvm_method() {
    return convex_learner(
        {.choices = {pair_loss_choice(),
                     {"costs",
                      "queries",
                      {"even", "queries", "queries-and-grades"},
                      "equal weight for all pairs, for all queries, or also for grades (Cao)"}},
         .fit = fit_ranksvm},
        100);
}

namespace {

constexpr const char* kObjective = "1/2 |w|^2 + c (loss of rankings), the less the better";

TrainingResult fit_map(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                       const Progress& progress) {
    const RankingLoss loss(set, RankingLoss::Aim::kAveragePrecision, options.judging.relevant_from);
    return fit_convex("svm-map", kObjective, set, loss, options, executor, progress);
}

TrainingResult fit_ndcg(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                        const Progress& progress) {
    const RankingLoss loss(set,
                           options.choices.at("gain") == "linear"
                               ? RankingLoss::Aim::kLinearGain
                               : RankingLoss::Aim::kExponentialGain,
                           options.judging.relevant_from);
    return fit_convex("svm-ndcg", kObjective, set, loss, options, executor, progress);
}

}  // namespace

LearnerMethod svm_map_method() {
    return convex_learner({.grades = GradeUse::kRelevance, .fit = fit_map}, 1000);
}

LearnerMethod svm_ndcg_method() {
    return convex_learner({.choices = {{"gain",
                                        "exponential",
                                        {"linear", "exponential"},
                                        "gain of a grade: the grade, or 2^grade - 1"}},
                           .fit = fit_ndcg},
                          1000);
}

namespace {

// The objective changes with the working sets, so rounds are compared by the measure.
struct Best {
    RankingFunction function;
    double objective = 0;
    double value = -1;

    void offer(const RankingFunction& other, double others_objective, double others_value) {
        if (others_value <= value) return;
        function = other;
        objective = others_objective;
        value = others_value;
    }
};

double value_of(const PermutationLoss& loss, const std::vector<double>& weights,
                Executor& executor) {
    const LinearRisk risk(loss.rankings(), loss, executor);
    const std::vector<double> scores = risk.scores(weights);
    std::vector<double> slopes(scores.size());
    return risk.value(scores, slopes);
}

TrainingResult fit_permurank(const TrainingSet& set, const LearnerOptions& options,
                             Executor& executor, const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const auto rounds = static_cast<std::size_t>(parameters.at("rounds"));
    BundleOptions settings = bundle_options(options);
    const WeightSigns signs = signs_of(options.choices);
    const TrainingMeasure measure(set, options.measure, options.judging);
    const Permutations permutations(measure);
    PermutationLoss loss(permutations, options.choices.at("perfect") == "nearest");
    std::vector<double> scores(set.rows());
    const auto extend = [&](const std::vector<double>& at) {
        weighted_sums(set.scores, at, scores);
        return loss.extend(scores);
    };
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")), signs);
    ProgressGate gate(progress, "training permurank", "rounds", rounds);
    std::vector<double> weights = uniform_weights(set.width());
    extend(weights);
    settings.c /= loss.first_gap();  // docs/algorithms/permurank.md (5)
    const double at_start = settings.c * value_of(loss, weights, executor);
    Best best;
    best.offer(LinearFunction{weights}, at_start, measure.mean(LinearFunction{weights}, executor));
    monitor.record(at_start, weights);
    std::string reason = "iteration limit";
    for (std::size_t round = 0; round < rounds; ++round) {
        const LinearRisk risk(loss.rankings(), loss, executor);
        Bundle bundle(risk, signs == WeightSigns::kNonNegative);
        const BundleState state = bundle.minimise(settings, weights);
        weights = state.weights;
        gate.step(fmt::format("objective {:.6g}", state.objective));
        const RankingFunction function = LinearFunction{served(weights, signs)};
        best.offer(function, state.objective, measure.mean(function, executor));
        if (!monitor.record(state.objective, weights)) {
            reason = "no better on the validation part";
            break;
        }
        if (!extend(weights)) {
            reason = "converged";
            break;
        }
    }
    TrainingResult result =
        monitor.result("1/2 |w|^2 + c/g (loss of working sets), the less the better", reason);
    result.iterations = result.curve.size() - 1;
    if (options.validation == nullptr) {
        result.function = best.function;
        result.objective = best.objective;
    }
    return result;
}

}  // namespace

LearnerMethod permurank_method() {
    return {.parameters = {{"c", 2, 1e-9, 1e12,
                            "weight of the loss against 1/2 |w|^2, whatever the scores and pools"},
                           {"rounds", 50, 1, 1e5, "most extensions of the working sets", kWhole},
                           {"tolerance", 1e-3, 1e-12, 1,
                            "relative distance of each round's objective from its minimum"},
                           {"iterations", 1000, 1, 1e6, "most cutting planes per round", kWhole},
                           patience_parameter()},
            .choices = {weights_choice(),
                        {"perfect",
                         "nearest",
                         {"nearest", "furthest"},
                         "perfect ranking to compare with the model's: the one it scores highest, "
                         "or (the paper) lowest"}},
            .grades = GradeUse::kByMeasure,
            .aims_at_measure = true,
            .measures = {"map", "ndcg", "ndcg@k", "ndcg-exp", "ndcg-exp@k"},
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = fit_permurank};
}

}  // namespace braid

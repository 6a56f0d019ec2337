// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/pair_loss.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/bundle.h"
#include "braid/core/learn/solvers/convex_learner.h"

namespace braid {
namespace {

BundleState minimise(const TrainingSet& set, const PairLoss& loss, const LearnerOptions& options,
                     Executor& executor) {
    const BundleOptions settings = bundle_options(options);
    const bool non_negative = signs_of(options.choices) == WeightSigns::kNonNegative;
    const LinearRisk risk(set, loss, executor);
    return loss.is_smooth() ? minimise_smooth(risk, settings, non_negative)
                            : Bundle(risk, non_negative).minimise(settings);
}

TrainingResult fit_mhr_bc(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                          const Progress& progress) {
    const std::vector<std::pair<Grade, Grade>> pairs = grade_pairs(set);
    PairLossOptions of_pairs;
    of_pairs.squared = options.choices.at("loss") == "squared";
    if (options.choices.at("costs") == "even") of_pairs.costs = PairLossOptions::Costs::kEven;
    ProgressGate gate(progress, "training mhr-bc", "pairs of grades", pairs.size());
    TrainingResult result;
    result.objective_name = "sum of 1/2 |w|^2 + c (loss of pairs), the less the better";
    result.stop_reason = "converged";
    BordaFunction function;
    double bound = 0;
    for (const auto& [better, worse] : pairs) {
        const PairLoss loss(set, of_pairs, better, worse);
        const BundleState state = minimise(set, loss, options, executor);
        gate.step(fmt::format("{} before {}: objective {:.6g}", better, worse, state.objective));
        if (!state.converged) result.stop_reason = "iteration limit";
        function.functions.push_back(served(state.weights, signs_of(options.choices)));
        result.objective += state.objective;
        bound += state.bound;
    }
    result.function = function;
    result.bound = bound;
    result.iterations = pairs.size();
    result.curve.push_back({0, result.objective, {}});
    add_validation(options, executor, result);
    return result;
}

}  // namespace

LearnerMethod mhr_bc_method() {
    std::vector<ParameterInfo> parameters = convex_parameters(100);
    parameters.pop_back();  // A single result leaves nothing to be patient about.
    return {.parameters = parameters,
            .choices = {pair_loss_choice(),
                        {"costs",
                         "queries",
                         {"even", "queries"},
                         "equal weight for all pairs, or for all queries"},
                        weights_choice()},
            .forms = {"borda"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = fit_mhr_bc};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/methods/permurank.h"

#include <fmt/format.h>

#include "braid/core/learners/fitting/fit_monitor.h"
#include "braid/core/learners/losses/permutations.h"
#include "braid/core/learners/solvers/bundle.h"

namespace braid {
namespace {

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const auto rounds = static_cast<std::size_t>(parameters.at("rounds"));
    const BundleOptions settings{parameters.at("c"), parameters.at("tolerance"),
                                 static_cast<std::size_t>(parameters.at("iterations"))};
    const WeightSigns signs = signs_of(options.choices);
    const TrainingMeasure measure(set, options.measure, options.judging);
    const Permutations permutations(measure);
    PermutationLoss loss(permutations);
    const LinearRisk risk(set, loss, executor);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")), signs);
    ProgressGate gate(progress, "training permurank", "rounds", rounds);
    std::vector<double> weights = uniform_weights(set.width());
    loss.extend(risk.scores(weights));
    std::string reason = "iteration limit";
    for (std::size_t round = 0; round < rounds; ++round) {
        Bundle bundle(risk, signs == WeightSigns::kNonNegative);
        const BundleState state = bundle.minimise(settings, weights);
        weights = state.weights;
        gate.step(fmt::format("objective {:.6g}", state.objective));
        if (!monitor.record(state.objective, weights)) {
            reason = "no better on the validation part";
            break;
        }
        if (!loss.extend(risk.scores(weights))) {
            reason = "converged";
            break;
        }
    }
    TrainingResult result =
        monitor.result("1/2 |w|^2 + c (loss of working sets), the less the better", reason);
    result.iterations = result.curve.size();
    return result;
}

}  // namespace

LearnerInfo permurank_info() {
    return {
        .name = "permurank",
        .summary = "perfect rankings before imperfect ones, by what those lose of map or ndcg",
        .source = "Xu, Li, Liu, Peng, Lu, Ma (PermuRank)",
        .parameters = {{"c", 100, 1e-9, 1e12, "what the loss counts against 1/2 |w|^2"},
                       {"rounds", 50, 1, 1e5, "how often the working sets are extended, at most"},
                       {"tolerance", 1e-3, 1e-12, 1,
                        "how close to its least each round's objective is, as a part of it"},
                       {"iterations", 1000, 1, 1e6, "cutting planes in a round at most"},
                       patience_parameter()},
        .choices = {weights_choice()},
        .may_weigh_negatively = true,
        .fit = fit};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/convex_learner.h"

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/bundle.h"
#include "braid/core/learn/solvers/smooth_descent.h"

namespace braid {

std::vector<ParameterInfo> convex_parameters(double c) {
    return {{"c", c, 1e-9, 1e12, "weight of the loss against 1/2 |w|^2"},
            {"tolerance", 1e-3, 1e-12, 1,
             "stop at this relative distance of the objective from its minimum"},
            {"iterations", 1000, 1, 1e6, "steps at most", kWhole},
            patience_parameter()};
}

BundleOptions bundle_options(const LearnerOptions& options) {
    const ParameterMap& parameters = options.parameters;
    return {parameters.at("c"), parameters.at("tolerance"),
            static_cast<std::size_t>(parameters.at("iterations"))};
}

TrainingResult fit_convex(const std::string& learner, const std::string& objective,
                          const TrainingSet& set, const ScoreLoss& loss,
                          const LearnerOptions& options, Executor& executor,
                          const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const WeightSigns signs = signs_of(options.choices);
    const BundleOptions settings = bundle_options(options);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")), signs);
    ProgressGate gate(progress, "training " + learner, "iterations", settings.iterations + 1);
    const LinearRisk risk(set, loss, executor);
    const bool non_negative = signs == WeightSigns::kNonNegative;
    bool goes_on = true;
    const auto record = [&](const BundleState& state) {
        gate.step(fmt::format("objective {:.6g}, least {:.6g}", state.objective, state.bound));
        goes_on = monitor.record(state.objective, state.weights);
        return goes_on;
    };
    const BundleState end = loss.is_smooth()
                                ? minimise_smooth(risk, settings, non_negative, record)
                                : Bundle(risk, non_negative).minimise(settings, {}, record);
    std::string reason = end.converged                           ? "converged"
                         : end.iterations == settings.iterations ? "iteration limit"
                                                                 : "no better step";
    if (!goes_on) reason = "no better on the validation part";
    TrainingResult result = monitor.result(objective, reason);
    result.bound = end.bound;
    return result;
}

}  // namespace braid

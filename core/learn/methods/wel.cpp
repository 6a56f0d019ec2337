// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/methods/wel.h"

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/list_descent.h"

// Equations are those of docs/algorithms/list-loss.md.

namespace braid {
namespace {

constexpr const char* kSource = "Liu, Du, Wu 2023 (aWELv, ablations)";

TrainingResult fit(const std::string& name, const TrainingSet& set, const LearnerOptions& options,
                   const Progress& progress) {
    ListOptions list = list_options(options);
    list.pairs = name == "wep";
    const ListObjective objective(set, list);
    DescentOptions descent = descent_options(options);
    descent.non_negative = signs_of(options.choices) == WeightSigns::kNonNegative;
    FitMonitor monitor(options, static_cast<std::size_t>(options.parameters.at("patience")),
                       signs_of(options.choices));
    ProgressGate gate(progress, "training " + name, "passes", descent.passes + 1);
    const std::string reason =
        descend_fixed(objective, descent, options.parameters.at("l2"),
                      [&](double value, const std::vector<double>& weights) {
                          gate.step(fmt::format("log likelihood {:.4f}", -value));
                          return monitor.record(-value, weights);
                      });
    return monitor.result(list.pairs           ? "log likelihood of pairs"
                          : list.diversity > 0 ? "log likelihood + diversity"
                                               : "log likelihood",
                          reason);
}

LearnerInfo info(const std::string& name, const std::string& summary) {
    const bool is_pairs = name == "wep";
    std::vector<ParameterInfo> parameters = list_parameters(name == "welv");
    for (const ParameterInfo& parameter : descent_parameters()) parameters.push_back(parameter);
    for (ParameterInfo& parameter : parameters) {
        const bool is_of_steps = parameter.name == "sample" || parameter.name == "rate";
        if (is_of_steps) parameter.only_with = "solver=steps";
    }
    parameters.push_back({"l2", 0, 0, 1e6, "strength of the pull towards zero"});
    parameters.push_back(patience_parameter());
    std::vector<ChoiceInfo> choices = {weights_choice(), solver_choice()};
    if (!is_pairs) {
        choices.push_back(list_ties_choice());
        choices.push_back(list_queries_choice());
    }
    return {.name = name,
            .summary = summary,
            .source = kSource,
            .parameters = parameters,
            .choices = choices,
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = [name](const TrainingSet& set, const LearnerOptions& options, Executor&,
                          const Progress& progress) { return fit(name, set, options, progress); }};
}

}  // namespace

LearnerInfo wep_info() { return info("wep", "the logistic loss of pairs"); }
LearnerInfo wel_info() { return info("wel", "the Plackett-Luce loss of graded lists"); }
LearnerInfo welv_info() { return info("welv", "wel, and the more diverse rankers the better"); }

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/methods/ranksvm.h"

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/pair_loss.h"
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

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    const PairLoss loss(set, pair_options(options.choices));
    return fit_convex("ranksvm", "1/2 |w|^2 + c (loss of pairs), the less the better", set, loss,
                      options, executor, progress);
}

}  // namespace

LearnerInfo ranksvm_info() {
    return {.name = "ranksvm",
            .summary = "ranking SVM: pairs of documents of unequal grades in the right order",
            .source = "Joachims 2002; Cao, Xu, Liu, Li, Huang, Hon 2006",
            .parameters = convex_parameters(100),
            .choices = {{"loss",
                         "squared",
                         {"hinge", "squared"},
                         "what a pair costs that is less than 1 apart: how much, or its square"},
                        {"costs",
                         "queries",
                         {"even", "queries", "queries-and-grades"},
                         "whether all pairs count alike, all queries, or also grades (Cao)"},
                        weights_choice()},
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = fit};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/listwise_loss.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/convex_learner.h"

namespace braid {
namespace {

TrainingResult fit_listnet(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const TopOneLoss loss(set);
    return fit_convex("listnet", "1/2 |w|^2 + c (divergence of first places), the less the better",
                      set, loss, options, executor, progress);
}

TrainingResult fit_listmle(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const PlackettLuceLoss loss(set, options.choices.at("costs") == "even"
                                         ? PlackettLuceLoss::Costs::kEven
                                         : PlackettLuceLoss::Costs::kQueries);
    return fit_convex("listmle", "1/2 |w|^2 - c (log likelihood), the less the better", set, loss,
                      options, executor, progress);
}

}  // namespace

LearnerMethod listnet_method() { return convex_learner({.fit = fit_listnet}, 1000); }

LearnerMethod listmle_method() {
    return convex_learner(
        {.choices = {{"costs",
                      "queries",
                      {"even", "queries"},
                      "equal weight for all documents with a rank to fill, or for all queries"}},
         .fit = fit_listmle},
        1000);
}

}  // namespace braid

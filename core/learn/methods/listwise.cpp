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

LearnerInfo listnet_info() {
    LearnerInfo info = convex_learner(1000);
    info.name = "listnet";
    info.summary = "top-one probabilities: the softmax of scores close to the softmax of grades";
    info.source = "Cao, Qin, Liu, Tsai, Li 2007";
    info.fit = fit_listnet;
    return info;
}

LearnerInfo listmle_info() {
    LearnerInfo info = convex_learner(
        1000, {{"costs",
                "queries",
                {"even", "queries"},
                "equal weight for all documents with a rank to fill, or for all queries"}});
    info.name = "listmle";
    info.summary = "Plackett-Luce likelihood of rankings sorted by grade";
    info.source = "Xia, Liu, Wang, Zhang, Li 2008";
    info.fit = fit_listmle;
    return info;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/methods/svm_map.h"

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/ranking_loss.h"
#include "braid/core/learn/solvers/convex_learner.h"

namespace braid {
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

LearnerInfo svm_map_info() {
    return {.name = "svm-map",
            .summary =
                "structural SVM: no ranking is preferred to a perfect one by more than it "
                "loses in average precision",
            .source = "Yue, Finley, Radlinski, Joachims 2007",
            .parameters = convex_parameters(1000),
            .choices = {weights_choice()},
            .grades = GradeUse::kRelevance,
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = fit_map};
}

LearnerInfo svm_ndcg_info() {
    return {.name = "svm-ndcg",
            .summary = "structural SVM: the same for ndcg, threshold by threshold of the grades",
            .source = "after Yue, Finley, Radlinski, Joachims 2007",
            .parameters = convex_parameters(1000),
            .choices = {{"gain",
                         "exponential",
                         {"linear", "exponential"},
                         "what a document of a grade is worth: the grade, or 2^grade - 1"},
                        weights_choice()},
            .forms = {"linear", "signed-linear"},
            .may_weigh_negatively = true,
            .non_negative_with = kNonNegativeWeights,
            .fit = fit_ndcg};
}

}  // namespace braid

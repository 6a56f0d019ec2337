// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"

namespace braid {
namespace {

TrainingResult fit_uniform(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress&) {
    TrainingResult result;
    result.function =
        LinearFunction{std::vector<double>(set.width(), 1 / static_cast<double>(set.width()))};
    set_measured(set, options, executor, result);
    result.stop_reason = "nothing to learn";
    return result;
}

}  // namespace

LearnerInfo uniform_info() {
    return {.name = "uniform",
            .summary = "the same weight for every ranker",
            .source = "Wang, Lee, Choi 2016 (UniEnM)",
            .needs_judgements = false,
            .grades = GradeUse::kNone,
            .fit = fit_uniform};
}

}  // namespace braid

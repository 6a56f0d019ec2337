// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Decides by held-out queries whether query-dependent weights pay. docs/algorithms/list-loss.md
// section 4.

#include <string>
#include <vector>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_solver.h"
#include "braid/progress.h"

namespace braid {

/// The gain of the best pull over fixed weights, on held-out queries.
struct AttentionTrial {
    double pull = 0;
    std::size_t queries = 0;
    double loss = 0;  ///< Reduction of the loss, mean over queries, and its standard error.
    double loss_error = 0;
    double measure = 0;
    double measure_error = 0;

    /// The loss falls by more than `margin` standard errors, and the measure rises.
    bool pays(double margin) const { return loss > margin * loss_error && measure > 0; }
};

/// Splits the useful queries into `folds`; the pull of the least loss is the best.
AttentionTrial try_attention(const TrainingSet& set, const LearnerOptions& options,
                             const AttentionPlan& plan, const std::vector<double>& pulls,
                             std::size_t folds, Executor& executor, ProgressGate& gate);

}  // namespace braid

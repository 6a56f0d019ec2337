// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Whether weights by query are worth it, asked of held-out queries; not installed.
// docs/algorithms/list-loss.md section 4.

#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_solver.h"

namespace braid {

/// What the best pull gains over fixed weights on queries that neither was fitted to.
struct AttentionTrial {
    double pull = 0;
    std::size_t queries = 0;
    double loss = 0;  ///< How much less of it, the mean over queries, and that mean's error.
    double loss_error = 0;
    double measure = 0;
    double measure_error = 0;

    /// By less loss, by more than `margin` errors, and by the measure.
    bool pays(double margin) const { return loss > margin * loss_error && measure > 0; }
};

/// The useful queries are cut in `folds`; the pull of the least loss is the best.
AttentionTrial try_attention(const TrainingSet& set, const LearnerOptions& options,
                             const AttentionPlan& plan, const std::vector<double>& pulls,
                             std::size_t folds, Executor& executor, ProgressGate& gate);

}  // namespace braid

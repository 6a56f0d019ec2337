// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Query-dependent weights, by either of two solvers. docs/algorithms/list-loss.md sections 4 and 5.

#include <functional>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_descent.h"
#include "braid/core/learn/solvers/attention_fit.h"
#include "braid/progress.h"

namespace braid {

/// The settings of awel and awelv.
struct AttentionPlan {
    ListOptions list;
    DescentOptions fixed;  ///< For the base weights.
    double l2 = 0;
    bool by_steps = false;      ///< AttentionDescent instead of AttentionFit.
    AttentionOptions steps;     ///< Its options; heats and non_negative apply to both.
    AttentionFitOptions whole;  ///< Options of AttentionFit.
};

AttentionPlan attention_plan(const LearnerOptions& options);

/// Parameters and choices beside those of the loss and of the fixed weights.
std::vector<ParameterInfo> attention_parameters();
std::vector<ChoiceInfo> attention_choices();

/// The learned function, raw, and t of (12a), empty without heat.
struct LearnedAttention {
    AttentionFunction function;
    std::vector<double> temper;
};

/// The loss of the i-th query of `objective`; its features decide its weights and heat.
double attention_loss(const LearnedAttention& learned, const ListObjective& objective,
                      std::size_t i);

/// Calls `step` with minus the objective and the weights before the first and after every pass.
std::vector<double> fixed_weights(
    const ListObjective& objective, const AttentionPlan& plan,
    const std::function<void(double, const std::vector<double>&)>& step);

/// Fits departures from `base` for each of `pulls` in turn, the strongest first, and calls `found`
/// with the pull's index and the result. With embedding=features each starts where the last ended.
void fit_pulls(const ListObjective& objective, const AttentionPlan& plan,
               const std::vector<double>& base, const std::vector<double>& pulls,
               Executor& executor,
               const std::function<void(std::size_t, const LearnedAttention&)>& found);

/// The base, with the best heat if the plan has any.
LearnedAttention fit_heat(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor);

/// Fits with the plan's own pull. Calls `record` with minus the objective and the function before
/// the first and after every step; it returns whether to continue. Returns the stop reason.
std::string fit_attention(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor,
                          const std::function<bool(double, const AttentionFunction&)>& record);

}  // namespace braid

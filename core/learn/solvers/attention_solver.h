// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Weights by query, learned in either of two ways; not installed. docs/algorithms/list-loss.md
// sections 4 and 5.

#include <functional>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_descent.h"
#include "braid/core/learn/solvers/attention_fit.h"

namespace braid {

/// What awel and awelv are told.
struct AttentionPlan {
    ListOptions list;
    DescentOptions fixed;  ///< The weights that the others depart from.
    double l2 = 0;
    bool by_steps = false;      ///< AttentionDescent instead of AttentionFit.
    AttentionOptions steps;     ///< Its options; heats and non_negative are those of both.
    AttentionFitOptions whole;  ///< Of the other.
};

AttentionPlan attention_plan(const LearnerOptions& options);

/// Parameters and choices beside those of the loss and of the fixed weights.
std::vector<ParameterInfo> attention_parameters();
std::vector<ChoiceInfo> attention_choices();

/// What was learned: the function, raw, and t of (12a), empty where there is no heat.
struct LearnedAttention {
    AttentionFunction function;
    std::vector<double> temper;
};

/// The loss of the i-th query of `objective`, whose features decide its weights and heat.
BRAID_API double attention_loss(const LearnedAttention& learned, const ListObjective& objective,
                                std::size_t i);

/// `step` gets minus the objective and the weights before the first and after every pass.
std::vector<double> fixed_weights(
    const ListObjective& objective, const AttentionPlan& plan,
    const std::function<void(double, const std::vector<double>&)>& step);

/// Fits departures from `base` for each of `pulls` in turn, the strongest first, and calls `found`
/// with the pull's place and what was learned. With embedding=features each begins where the last
/// ended.
BRAID_API void fit_pulls(const ListObjective& objective, const AttentionPlan& plan,
                         const std::vector<double>& base, const std::vector<double>& pulls,
                         Executor& executor,
                         const std::function<void(std::size_t, const LearnedAttention&)>& found);

/// The base, with the heat that suits it best where the plan has any.
BRAID_API LearnedAttention fit_heat(const ListObjective& objective, const AttentionPlan& plan,
                                    const std::vector<double>& base, Executor& executor);

/// Fits with the plan's own pull. `record` gets minus the objective and the function before the
/// first and after every step, and says whether to go on. Returns why it stopped.
std::string fit_attention(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor,
                          const std::function<bool(double, const AttentionFunction&)>& record);

}  // namespace braid

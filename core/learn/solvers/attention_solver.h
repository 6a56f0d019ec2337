// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Query-dependent weights, by either of two solvers. docs/algorithms/list-loss.md sections 4 and 5.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/solvers/attention_fit.h"
#include "braid/core/learn/solvers/list_descent.h"
#include "braid/core/model/attention.h"
#include "braid/progress.h"

namespace braid {

// One fit of query-dependent weights. docs/algorithms/list-loss.md section 4.

struct AttentionOptions {
    std::size_t dimensions = 5;
    double shrink = 0.01;       ///< Pull of the embeddings towards 0, the base.
    bool by_query = false;      ///< An embedding for each query, for queries that recur.
    bool non_negative = false;  ///< AttentionFunction::non_negative, also for the base.
    DescentOptions descent = {};
};

/// Learns departures from `base`, which stays fixed. `base` and the result are raw, as in the
/// objective.
class AttentionDescent {
  public:
    AttentionDescent(const ListObjective& objective, const AttentionOptions& options,
                     std::vector<double> base);

    /// Calls `record` with the objective and the function before the first and after every pass; it
    /// returns whether to continue. Returns the stop reason.
    std::string run(const std::function<bool(double, const AttentionFunction&)>& record);

    /// (9) of one query with the penalty, and the derivatives by the rankers' embeddings, the
    /// matrix and the query's offset (or, with by_query, its own embedding). For tests.
    struct Gradient {
        std::vector<double> rankers;
        std::vector<double> matrix;
        std::vector<double> place;
    };
    double value(std::size_t i, const ListObjective::Query& query, Gradient* gradient) const;

    AttentionFunction& function() { return function_; }

  private:
    void start();
    void learn(std::size_t i, const ListObjective::Query& query);
    double mean() const;
    std::vector<double> place_of(std::size_t i) const;
    std::vector<double> weights_of(const std::vector<double>& place) const;
    void disturb(std::size_t i);

    const ListObjective& objective_;
    AttentionOptions options_;
    AttentionFunction function_;
    std::vector<std::vector<double>> standard_;  // Features of the objective's queries.
    Random random_;
    AdaGrad ranker_steps_;
    AdaGrad matrix_steps_;
    AdaGrad offset_steps_;
    std::map<std::string, AdaGrad> own_steps_;  // By query, with by_query.
};

/// The settings of awel and awelv.
struct AttentionPlan {
    ListOptions list;
    DescentOptions fixed;  ///< For the base weights.
    double l2 = 0;
    bool by_steps = false;      ///< AttentionDescent instead of AttentionFit.
    AttentionOptions steps;     ///< Its options.
    AttentionFitOptions whole;  ///< Options of AttentionFit.
};

AttentionPlan attention_plan(const LearnerOptions& options);

/// Parameters beside those of the loss, and what the embeddings follow from.
std::vector<ParameterInfo> attention_parameters();
ChoiceInfo embedding_choice();

/// The loss of the i-th query of `objective`; its features decide its weights. `learned` is raw.
double attention_loss(const AttentionFunction& learned, const ListObjective& objective,
                      std::size_t i);

/// Calls `step` with minus the objective and the weights before the first and after every pass.
std::vector<double> fixed_weights(
    const ListObjective& objective, const AttentionPlan& plan,
    const std::function<void(double, const std::vector<double>&)>& step);

/// Fits departures from `base` at their optimum for each of `pulls` in turn, the strongest first,
/// each from where the last ended, and calls `found` with the pull's index and the result.
void fit_pulls(const ListObjective& objective, const AttentionPlan& plan,
               const std::vector<double>& base, const std::vector<double>& pulls,
               Executor& executor,
               const std::function<void(std::size_t, const AttentionFunction&)>& found);

/// Fits with the plan's own pull. Calls `record` with minus the objective and the function before
/// the first and after every step; it returns whether to continue. Returns the stop reason.
std::string fit_attention(const ListObjective& objective, const AttentionPlan& plan,
                          const std::vector<double>& base, Executor& executor,
                          const std::function<bool(double, const AttentionFunction&)>& record);

}  // namespace braid

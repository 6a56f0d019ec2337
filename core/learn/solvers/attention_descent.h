// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// One fit of query-dependent weights. docs/algorithms/list-loss.md section 4.

#include <map>
#include <string>
#include <vector>

#include "braid/core/learn/solvers/list_descent.h"
#include "braid/core/model/attention.h"

namespace braid {

struct AttentionOptions {
    std::size_t dimensions = 5;
    double shrink = 0.01;       ///< Pull of the embeddings towards 0, the base.
    bool by_query = false;      ///< An embedding for each query, for queries that recur.
    bool heats = false;         ///< Also scales scores by query: (12a).
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
    /// matrix, the query's offset (or, with by_query, its own embedding) and its heat. For tests.
    struct Gradient {
        std::vector<double> rankers;
        std::vector<double> matrix;
        std::vector<double> place;
        std::vector<double> temper;
    };
    double value(std::size_t i, const ListObjective::Query& query, Gradient* gradient) const;

    AttentionFunction& function() { return function_; }
    std::vector<double>& temper() { return temper_; }

  private:
    void start();
    void learn(std::size_t i, const ListObjective::Query& query);
    double mean() const;
    std::vector<double> place_of(std::size_t i) const;
    std::vector<double> weights_of(const std::vector<double>& place) const;
    double heat_of(std::size_t i) const;
    void disturb(std::size_t i);

    const ListObjective& objective_;
    AttentionOptions options_;
    AttentionFunction function_;
    std::vector<std::vector<double>> standard_;  // Features of the objective's queries.
    Random random_;
    std::vector<double> temper_;  // t of (12a) and, last, t_0; empty with by_query.
    AdaGrad ranker_steps_;
    AdaGrad matrix_steps_;
    AdaGrad offset_steps_;
    AdaGrad temper_steps_;
    std::map<std::string, AdaGrad> own_steps_;  // By query, with by_query.
};

}  // namespace braid

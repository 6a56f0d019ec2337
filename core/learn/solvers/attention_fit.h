// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/learn/losses/list_objective.h"
#include "braid/core/model/attention.h"
#include "braid/progress.h"

namespace braid {

// The loss of one query with its own weights. Equations are those of docs/algorithms/list-loss.md.

struct AttentionLoss {
    double value = 0;
    std::vector<double> slopes;  ///< By the given weights; empty if not asked for.
};

/// (9). With `non_negative`, negative weights are set to 0, and `base` is used if no positive one
/// is left; such weights have slope 0.
AttentionLoss attention_loss(const ListObjective& objective, const ListObjective::Query& query,
                             std::vector<double> weights, std::span<const double> base,
                             bool non_negative, bool with_slopes);

// Query-dependent weights at the minimum of their objective. docs/algorithms/list-loss.md
// section 5.

struct AttentionFitOptions {
    std::size_t dimensions = 16;  ///< Length of the embeddings that factorise the departures.
    double shrink = 100;          ///< Pull towards the base.
    std::size_t iterations = 100;
    double tolerance = 1e-5;
};

/// Learns departures from `base`, which stays fixed, by (12). `base` and the result are raw, as in
/// the objective. `non_negative` is AttentionFunction's; then the base has no negative weights
/// either. Borrows the objective.
class AttentionFit {
  public:
    AttentionFit(const ListObjective& objective, std::vector<double> base, bool non_negative);

    /// Starts where the last call ended, at first from the base. Calls `record` with the objective
    /// and the function before the first and after every step; it returns whether to continue.
    /// Returns the stop reason. The same bits at any number of threads.
    std::string minimise(const AttentionFitOptions& options, Executor& executor,
                         const std::function<bool(double, const AttentionFunction&)>& record);

    /// The learned function, with at most `dimensions`.
    AttentionFunction function(std::size_t dimensions) const;

    /// (12) at other departures, row by row. For tests.
    double value(std::span<const double> point, double shrink, Executor& executor,
                 std::span<double> gradient) const;
    std::size_t size() const { return point_.size(); }

  private:
    struct Sums;

    void add_query(std::size_t i, std::span<const double> point, Sums& sums) const;
    AttentionFunction taken_apart(std::span<const double> point, std::size_t dimensions) const;

    const ListObjective& objective_;
    AttentionFunction frame_;                    // All but the embeddings.
    std::vector<std::vector<double>> features_;  // Standard ones, of the objective's queries.
    std::vector<double> point_;
};

}  // namespace braid

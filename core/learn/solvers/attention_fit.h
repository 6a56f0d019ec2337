// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "braid/core/base/executor.h"
#include "braid/core/learn/losses/list_objective.h"
#include "braid/core/model/attention.h"

namespace braid {

// The loss of one query by weights of its own. Equations are those of docs/algorithms/list-loss.md.

/// Of the pull of heat: hardly any, it ranks nothing.
inline constexpr double kTemperPull = 1e-3;

struct AttentionLoss {
    double value = 0;
    std::vector<double> slopes;  ///< By the weights as they were given; empty if not asked for.
    double heat_slope = 0;
};

/// (9) of the query's scores times e^heat, the exponent kept within limits. With `non_negative`
/// weights below 0 are 0, and those of `base` where none is left above; such have no slope.
AttentionLoss attention_loss(const ListObjective& objective, const ListObjective::Query& query,
                             std::vector<double> weights, std::span<const double> base,
                             bool non_negative, double heat, bool with_slopes);

// Query-dependent weights at the minimum of their objective. docs/algorithms/list-loss.md
// section 5.

struct AttentionFitOptions {
    std::size_t dimensions = 16;  ///< Of the embeddings that the departures are taken apart into.
    double shrink = 100;          ///< Pull towards the base.
    bool only_heat = false;       ///< Weights stay the base's; what heat alone gains.
    std::size_t iterations = 100;
    double tolerance = 1e-5;
};

/// Learns how weights depart from `base`, which stays, by (12). `base` and the result are raw, as
/// the objective knows them. `heats`: whether scores are scaled by query, too, (12a); with
/// `non_negative`, AttentionFunction's, the base has no negative weights either. Borrows the
/// objective.
class BRAID_API AttentionFit {
  public:
    AttentionFit(const ListObjective& objective, std::vector<double> base, bool heats,
                 bool non_negative);

    /// From where the last call ended, at first from the base. `record` gets the objective and the
    /// function before the first and after every step, and says whether to go on. Returns why it
    /// stopped. The same bits at any number of threads.
    std::string minimise(const AttentionFitOptions& options, Executor& executor,
                         const std::function<bool(double, const AttentionFunction&)>& record);

    /// What was learned: in so many dimensions at most, and t of (12a) with t_0 at the end.
    AttentionFunction function(std::size_t dimensions) const;
    std::vector<double> temper() const;

    /// (12) at other numbers than those found: departures row by row, then t. For tests.
    double value(std::span<const double> point, double shrink, Executor& executor,
                 std::span<double> gradient) const;
    std::size_t size() const { return point_.size(); }

  private:
    struct Sums;

    void add_query(std::size_t i, std::span<const double> point, Sums& sums) const;
    AttentionFunction taken_apart(std::span<const double> point, std::size_t dimensions) const;
    std::size_t departures() const { return frame_.base.size() * frame_.features.size(); }

    const ListObjective& objective_;
    bool heats_;
    AttentionFunction frame_;                    // All but the embeddings.
    std::vector<std::vector<double>> features_;  // Standard ones, of the objective's queries.
    std::vector<double> point_;
};

}  // namespace braid

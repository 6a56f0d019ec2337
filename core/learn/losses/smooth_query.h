// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <vector>

#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/losses/smooth_pairs.h"

namespace braid {

/// One thread's work on a smooth measure: handles one query after another in the same memory.
class SmoothQuery {
  public:
    explicit SmoothQuery(const SmoothMeasure& measure) : measure_(measure) {}

    /// Adds the query's value and, for higher orders, its derivatives to `sum`, whose parts already
    /// have their sizes.
    void add(std::size_t query, std::span<const double> weights, SmoothOrder order,
             SmoothPoint& sum);

    /// R' of each target.
    const std::vector<double>& positions(std::size_t query, std::span<const double> weights);

  private:
    using Query = SmoothMeasure::Query;

    void place(std::size_t query, std::span<const double> weights, SmoothOrder order);
    void find_shares(const Query& query);
    double weigh_positions(const Query& query);
    void add_gradient(SmoothOrder order, SmoothPoint& sum);
    void add_hessian(SmoothPoint& sum);

    const SmoothMeasure& measure_;
    SmoothPairs pairs_;
    SmoothPool pool_;
    TargetSums sums_;
    std::vector<double> z_;
    std::vector<double> positions_;
    std::vector<double> shares_;   // c_j of (3).
    std::vector<double> factors_;  // c_j f'(R_j).
    std::vector<double> bends_;    // c_j f''(R_j).
    std::vector<double> slopes_;
    std::vector<double> curvatures_;
    std::vector<double> products_;  // rankers x documents
    std::vector<std::uint32_t> order_;
};

}  // namespace braid

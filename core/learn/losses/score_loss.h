// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "braid/error.h"

namespace braid {

/// A convex, non-negative loss of linear rankings: a sum over queries of functions of the
/// documents' scores. A learner that minimises such a loss only has to define it. Immutable; safe
/// to use from several threads.
class ScoreLoss {
  public:
    virtual ~ScoreLoss() = default;

    /// The query's part of the loss at `scores` (one a document of its pool); writes a subgradient
    /// to `slopes`. Both include the query's weight. 0 if nothing can be learned from the query.
    virtual double of_query(std::size_t query, std::span<const double> scores,
                            std::span<double> slopes) const = 0;

    /// Whether it has a gradient everywhere; solvers can use that.
    virtual bool is_smooth() const { return false; }
};

/// log(1 + e^-margin) and its derivative, finite for any margin.
struct LogisticLoss {
    double value;
    double slope;

    explicit LogisticLoss(double margin) {
        const double tail = std::exp(-std::abs(margin));
        value = std::log1p(tail) + std::max(-margin, 0.0);
        slope = -(margin > 0 ? tail : 1) / (1 + tail);
    }
};

}  // namespace braid

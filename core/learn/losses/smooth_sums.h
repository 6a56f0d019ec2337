// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The sums over pairs of documents that define smooth positions. Equations are those of
// docs/algorithms/smooth-measures.md.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/error.h"

namespace braid {

/// What to compute; each level includes the previous ones.
enum class SmoothOrder { kValue, kGradient, kHessian };

/// One query at one point. `z` holds beta times each document's score, `rows` the rankers' scores
/// (z.size() x width), `targets` the relevant documents. Borrows all.
struct SmoothPool {
    std::span<const double> z;
    std::span<const double> rows;
    std::size_t width = 0;
    std::span<const std::uint32_t> targets;
    double window = 0;  ///< Pairs further apart have no derivative; 0: all have one.
};

/// For each target the sums of (4) over all documents, including itself: s, s' and s'' of z_d -
/// z_target, and s' x_d and s'' x_d (targets x width).
struct TargetSums {
    std::vector<double> position;
    std::vector<double> slope;
    std::vector<double> curvature;
    std::vector<double> slope_rows;
    std::vector<double> curvature_rows;

    void clear(std::size_t targets, std::size_t width);
};

/// A way to compute them. Reuses its memory between queries; one a thread.
class SmoothSums {
  public:
    virtual ~SmoothSums() = default;

    virtual void gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) = 0;

    /// (6): for each document the sum over targets of factors[target] s'(z_d - z_target), and of
    /// factors[target] s'' for a Hessian. Call after `gather` with the same pool.
    virtual void spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                        std::span<double> slopes, std::span<double> curvatures) = 0;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/base/simd.h"
#include "braid/core/learn/losses/smooth_sections.h"
#include "braid/error.h"

namespace braid {

/// The sums (4) and (6), pair by pair: O(documents near targets x targets). Calls exp() once a
/// document, since s(a - b) = e^a / (e^a + e^b); a pair costs a division. Reuses its memory between
/// queries; one a thread.
class SmoothPairs {
  public:
    /// Every instruction set gives the same bits.
    explicit SmoothPairs(InstructionLevel level = best_instruction_level()) : level_(level) {}

    void gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums);
    /// (6): for each document the sum over targets of factors[target] s'(z_d - z_target), and of
    /// factors[target] s'' for a Hessian. Call after `gather` with the same pool.
    void spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                std::span<double> slopes, std::span<double> curvatures);

  private:
    void place_rows(const SmoothPool& pool);
    void order_targets(const SmoothPool& pool);
    void gather_tile(const SmoothPool& pool, std::span<const std::size_t> targets,
                     TargetSums& sums);

    InstructionLevel level_;
    SmoothSections sections_;
    std::vector<double> rows_;  // Scores by slot, for several sections.
    std::vector<std::size_t> order_;
    std::vector<double> slopes_;
    std::vector<double> curvatures_;
    std::vector<double> products_;
};

}  // namespace braid

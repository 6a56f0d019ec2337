// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/base/simd.h"
#include "braid/core/learn/losses/smooth_sections.h"
#include "braid/core/learn/losses/smooth_sums.h"
#include "braid/error.h"

namespace braid {

/// Pair by pair, O(documents near targets x targets): faster for few targets, and the only one that
/// supports a window. Calls exp() once a document, since s(a - b) = e^a / (e^a + e^b); a pair costs
/// a division.
class SmoothPairs final : public SmoothSums {
  public:
    /// Every instruction set gives the same bits.
    explicit SmoothPairs(InstructionLevel level = best_instruction_level()) : level_(level) {}

    void gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) override;
    void spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                std::span<double> slopes, std::span<double> curvatures) override;

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

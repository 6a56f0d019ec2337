// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/core/export.h"
#include "braid/core/learners/smooth_sums.h"
#include "braid/core/topics/lanes.h"

namespace braid {

/// Pair by pair, O(documents x targets): the quicker way for few targets, and the only one that
/// knows a window. exp() is taken once a document, since s(a - b) = e^a / (e^a + e^b); a pair costs
/// a division.
class BRAID_API SmoothPairs final : public SmoothSums {
  public:
    /// Every instruction set gives the same bits.
    explicit SmoothPairs(InstructionSet set = InstructionSet::kBest) : set_(set) {}

    void gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) override;
    void spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                std::span<double> slopes, std::span<double> curvatures) override;

  private:
    void prepare(const SmoothPool& pool);
    void fill_exponentials(const SmoothPool& pool, double centre);
    double exponential_of_target(const SmoothPool& pool, double target);

    InstructionSet set_;
    std::vector<double> exponentials_;  // Padded to whole vectors with 0, which adds nothing.
    std::vector<double> slopes_;
    std::vector<double> curvatures_;
    double lowest_ = 0;
    double highest_ = 0;
    double centre_ = 0;
    bool recentre_ = false;
};

}  // namespace braid

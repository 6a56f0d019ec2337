// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>

#include "braid/core/base/simd.h"
#include "braid/core/learn/losses/smooth_sums.h"

namespace braid {

/// Bins of width 1 in z, as in docs/algorithms/smooth-measures.md section 4: Taylor series between
/// bins up to three apart, exponential series with prefix sums beyond. O(documents) plus a constant
/// for each bin and target: faster for many targets. Doesn't support a window.
class SmoothSeries final : public SmoothSums {
  public:
    /// Every instruction set gives the same bits.
    explicit SmoothSeries(InstructionLevel level = best_instruction_level()) : level_(level) {}

    static constexpr std::size_t kTerms = 20;  ///< Terms of a Taylor series; whole vectors of four.
    using NearLanes = double __attribute__((vector_size(64)));
    using NearTaylor = std::array<NearLanes, kTerms + 2>;

    /// Whether the bins are few enough for memory.
    static bool fits(const SmoothPool& pool);
    /// Whether it fits and is faster than SmoothPairs, by measured constants.
    static bool is_quicker(const SmoothPool& pool);

    void gather(const SmoothPool& pool, SmoothOrder order, TargetSums& sums) override;
    void spread(const SmoothPool& pool, SmoothOrder order, std::span<const double> factors,
                std::span<double> slopes, std::span<double> curvatures) override;

    struct Place {
        std::size_t bin = 0;
        double offset = 0;  ///< From the bin's centre, in [-1/2, 1/2].
    };

  private:
    void lay_bins(const SmoothPool& pool);
    Place place_of(double z) const;
    void add_moments(const SmoothPool& pool);
    void sum_exponentials();
    void sum_target(std::size_t target, const Place& place, SmoothOrder order, TargetSums& sums);
    void sum_near(std::size_t bin, std::size_t lane, std::size_t target, SmoothOrder order,
                  TargetSums& sums);
    void sum_far(std::size_t bin, double distance, bool is_above, std::size_t target,
                 SmoothOrder order, TargetSums& sums);
    void spread_target(std::size_t target, const Place& place, double factor, SmoothOrder order);
    void spread_far(std::size_t bin, SmoothOrder order);

    InstructionLevel level_;
    double lowest_ = 0;
    double highest_ = 0;
    std::size_t bins_ = 0;
    std::size_t channels_ = 0;         // The documents' number, and each ranker's scores.
    std::vector<Place> places_;        // One a document; bin kNowhere outside.
    std::vector<NearTaylor> taylors_;  // One a target.
    std::vector<double> moments_;      // bins x channels x terms
    std::vector<double> above_;        // bins: documents in the bin or above it.
    std::vector<double> from_below_;   // bins x channels x exponents: of this bin and those below.
    std::vector<double> from_above_;
    std::vector<double> slope_fields_;  // bins x terms: Taylor coefficients around the centre.
    std::vector<double> curvature_fields_;
    std::vector<double> targets_below_;  // bins x exponents
    std::vector<double> targets_above_;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The sums over pairs of documents that define smooth positions. Equations are those of
// docs/algorithms/smooth-measures.md.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "braid/core/base/simd.h"
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

// Sections of a pool's documents, for SmoothPairs. docs/algorithms/smooth-measures.md, section 4.

/// Documents within reach of targets, by sections of the z axis, each with e^(z - its centre). If
/// targets are close together, one section has all documents in their order. Otherwise sections are
/// `kReach` wide, and a target is paired with its own section and its two neighbours: for all
/// others s is 0 or 1 to the last bit. Reuses its memory between queries.
class SmoothSections {
  public:
    /// s(-40) is 4e-18, below the rounding of any sum that includes the target itself (1/2).
    static constexpr double kReach = 40;
    static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t kLanes = 4;

    struct Section {
        double centre = 0;
        std::size_t begin = 0;  ///< Range of its exponentials; whole vectors, padded with 0.
        std::size_t end = 0;
        double above = 0;  ///< Documents above this section.
    };

    /// Accepts any finite z.
    void lay(const SmoothPool& pool);

    /// e^(z - its centre).
    static double exponential(double z, const Section& section);

    /// One or three sections, ascending.
    std::span<const Section> near(double target) const;

    /// Pairs with the padding add 0 to every sum.
    const std::vector<double>& exponentials() const { return exponentials_; }
    bool is_single() const { return is_single_; }
    /// For each document the index of its exponential, or kNowhere; only for several sections.
    const std::vector<std::size_t>& slots() const { return slots_; }

  private:
    void lay_one(const SmoothPool& pool, double low, double high);
    void lay_several(const SmoothPool& pool);
    void find_sections(const SmoothPool& pool);
    void fill_table();
    std::size_t place_of(double bin) const;

    bool is_single_ = true;
    std::vector<Section> sections_;
    std::vector<double> bins_;  // Bin of each section, ascending.
    // Places: 2 i + 1 is section i, 2 i the gap below it. By bin from first_bin_ on, where there
    // are few enough.
    std::vector<std::uint32_t> table_;
    double first_bin_ = 0;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> slots_;
    std::vector<double> exponentials_;
};

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

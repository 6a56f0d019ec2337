// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// One query's average precision along a line of weights. docs/algorithms/coordinate.md, 2.

#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/solvers/line_sweep.h"
#include "braid/core/learn/training_measure.h"
#include "braid/error.h"

namespace braid {

/// LineSweep for plain average precision, which only depends on the number of irrelevant documents
/// ahead of each relevant one. O(n P) for n documents, P of them relevant. Reuses its memory
/// between queries; one a thread.
class PrecisionSweep {
  public:
    explicit PrecisionSweep(const TrainingMeasure& measure) : measure_(measure) {}

    static constexpr bool kAtMostOne = true;

    /// As LineSweep's. Copies a and b, without documents that are behind, or ahead of, all relevant
    /// ones from begin to end.
    void load(std::size_t query, std::span<const double> bases, std::span<const double> slopes,
              double begin, double end);
    std::size_t find_places(std::vector<double>& places);
    double sweep(std::vector<LineStep>& steps);

    /// As LineSweep's, without sorting crossings: a bucket's gain assumes that all rises come
    /// before any fall. (3)
    double fill(const LineCuts& cuts, std::span<LineBucket> buckets, std::uint64_t& touched);

  private:
    struct Crossing {
        double at;
        std::uint32_t relevant;
        bool is_up;
    };

    void take_others(std::span<const double> bases, std::span<const double> slopes);
    std::uint32_t cross(std::uint32_t relevant);
    std::uint32_t ahead_with_ties(std::uint32_t relevant);
    void count(std::uint32_t relevant, const LineCuts& cuts);
    void sort_order();
    double precision() const;
    double pass(const Crossing& crossing);

    const TrainingMeasure& measure_;
    std::size_t query_ = 0;
    double scale_ = 1;
    double begin_ = 0;
    double end_ = 0;
    std::uint32_t first_ = 0;              // Documents ahead of all relevant ones.
    std::vector<std::uint32_t> relevant_;  // Documents.
    std::vector<std::uint32_t> others_;    // Likewise.
    std::vector<double> relevant_bases_;
    std::vector<double> relevant_slopes_;
    std::vector<double> bases_;   // a of the others
    std::vector<double> slopes_;  // b of the others
    std::vector<double> steeper_;
    std::vector<double> places_;          // Where each of the others crosses the relevant one.
    std::vector<std::uint32_t> ahead_;    // Irrelevant documents ahead of each relevant one.
    std::vector<std::uint32_t> order_;    // Order of relevant documents, by ahead_.
    std::vector<std::uint32_t> sorted_;   // Numbers of documents ahead, ascending.
    std::vector<std::uint64_t> counts_;   // By place and relevant document: ups, and downs << 32.
    std::vector<double> inverses_ = {0};  // 1 / n
    std::vector<Crossing> crossings_;
    std::vector<Crossing> room_;
};

}  // namespace braid

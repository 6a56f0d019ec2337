// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// One query's measure along a line of weights; not installed. docs/algorithms/coordinate.md.

#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learners/data/training_measure.h"

namespace braid {

/// The measure changes by `change` where the line passes `at`.
struct LineStep {
    double at;
    double change;
};

/// Sorts by `at`; equal ones keep their order.
void sort_steps(std::vector<LineStep>& steps);

/// Follows the ranking of one query by a_d + t b_d as t runs through (begin, end]. Keeps its
/// memory from query to query; one a thread.
class LineSweep {
  public:
    explicit LineSweep(const TrainingMeasure& measure);

    /// Appends the query's steps in (begin, end], in order, to `steps` and returns the measure just
    /// after `begin`. Either end may be infinite.
    double sweep(std::size_t query, std::span<const double> weights,
                 std::span<const double> direction, double begin, double end,
                 std::vector<LineStep>& steps);

  private:
    // Document `rising` passes `falling`; places among the tracked documents, or kOther.
    struct Crossing {
        double at;
        std::uint32_t rising;
        std::uint32_t falling;
    };

    void find_slopes(std::span<const double> rows, std::span<const double> direction);
    void choose_tracked(std::size_t query);
    void find_crossings(std::size_t query, double begin, double end);
    void start_ranking(std::size_t query);
    void pass(const Crossing& crossing);
    void move(std::uint32_t tracked, std::uint32_t position);
    double value_after_moves(std::size_t query);

    const TrainingMeasure& measure_;
    bool is_plain_map_;
    std::vector<double> bases_;               // a_d
    std::vector<double> slopes_;              // b_d
    std::span<const std::uint32_t> tracked_;  // Documents whose position matters.
    std::vector<std::uint32_t> tracked_at_;   // For each document its place in tracked_, or kOther.
    std::vector<std::uint32_t> positions_;    // Of the tracked; 0 is the best.
    std::vector<std::uint32_t> found_;        // Tracked documents up to and with this one.
    std::vector<Crossing> crossings_;
    std::vector<Crossing> sorted_;
    std::vector<Grade> ranked_;           // Grades by position, as of the last value.
    std::vector<std::uint32_t> touched_;  // Tracked documents that moved since.
    std::vector<std::uint32_t> placed_;   // Position of each in ranked_.
    double sum_ = 0;                      // Of found / position, for plain average precision.
    double value_ = 0;
};

}  // namespace braid

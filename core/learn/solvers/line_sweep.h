// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

// A line cut into buckets, and the bucket of a place.

/// What the rankings of some queries do in a bucket.
struct LineBucket {
    double change = 0;      ///< By how much the sum of their measures changes in all.
    double gain = 0;        ///< No place in the bucket has more than the bucket's begin and this.
    std::size_t steps = 0;  ///< How many crossings there are, or more.
};

/// One of 64 bits that stand for some buckets each.
inline std::uint64_t bucket_bit(std::size_t bucket, std::size_t buckets) {
    return std::uint64_t{1} << bucket * 64 / buckets;
}

/// (begin, end] cut into (begin, cut], (cut, next cut], .. (last cut, end]. Either end may be
/// infinite. Finds a place's bucket without a search.
class BRAID_API LineCuts {
  public:
    /// `cuts` ascend and lie between begin and end. Cuts too close to be told apart at once are
    /// left out.
    LineCuts(double begin, double end, const std::vector<double>& cuts);

    std::size_t buckets() const { return cuts_.size() - 2; }
    double begin(std::size_t bucket) const { return cuts_[bucket]; }
    double end(std::size_t bucket) const {
        return bucket + 1 == buckets() ? end_ : cuts_[bucket + 1];
    }

    /// 0 up to begin, 1 + the bucket between begin and end, and buckets() + 1 beyond or at
    /// infinity. `at` is not NaN.
    std::size_t place(double at) const {
        const std::uint16_t least = least_[cell(at)];
        return least + (at > cuts_[least] ? 1U : 0U);
    }

  private:
    // Rises with `at`, as each of its operations does.
    std::size_t cell(double at) const {
        const auto bits = std::bit_cast<std::int64_t>(at - origin_ + scale_);
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>((bits >> kShift) - first_, 0, kCells - 1));
    }

    static constexpr int kShift = 44;  // 256 cells from a number to its double.
    static constexpr std::int64_t kCells = 16 * 256;

    double end_;
    double origin_;
    double scale_;
    std::int64_t first_;
    std::vector<double> cuts_;  // The ends among them, and infinity; the end is finite here.
    std::vector<std::uint16_t> least_;  // For each cell the cuts in cells before it.
};

// One query's measure along a line of weights. docs/algorithms/coordinate.md.

/// The measure changes by `change` where the line passes `at`.
struct LineStep {
    double at;
    double change;
};

/// Sorts by `at`; equal ones keep their order.
void sort_steps(std::vector<LineStep>& steps);

/// Follows the ranking of one query by a_d + t b_d as t runs through (begin, end], for any measure.
/// Keeps its memory from query to query; one a thread.
class BRAID_API LineSweep {
  public:
    explicit LineSweep(const TrainingMeasure& measure) : measure_(measure) {}

    /// Whether no value is above 1, whatever the measure is.
    static constexpr bool kAtMostOne = false;

    /// The query and the part of the line, (begin, end], that the others are about; either end may
    /// be infinite. Borrows a and b, one each a document of the query's pool.
    void load(std::size_t query, std::span<const double> bases, std::span<const double> slopes,
              double begin, double end);

    /// Appends where some documents cross, in no order, and returns about how many crossings there
    /// are in all.
    std::size_t find_places(std::vector<double>& places);

    /// Appends the query's steps, in order, to `steps` and returns the measure just after begin.
    double sweep(std::vector<LineStep>& steps);

    /// Adds what happens in each bucket to `buckets`, sets bucket_bit in `touched` where anything
    /// does, and returns the measure just after begin. The buckets are those of the part loaded.
    double fill(const LineCuts& cuts, std::span<LineBucket> buckets, std::uint64_t& touched);

  private:
    // Document `rising` passes `falling`; places among the tracked documents, or kOther.
    struct Crossing {
        double at;
        std::uint32_t rising;
        std::uint32_t falling;
    };

    void choose_tracked();
    void find_crossings();
    void start_ranking();
    void pass(const Crossing& crossing);
    void move(std::uint32_t tracked, std::uint32_t position);
    double value_after_moves();

    const TrainingMeasure& measure_;
    std::size_t query_ = 0;
    double begin_ = 0;
    double end_ = 0;
    std::span<const double> bases_;           // a_d
    std::span<const double> slopes_;          // b_d
    std::span<const std::uint32_t> tracked_;  // Documents whose position matters.
    std::vector<std::uint32_t> tracked_at_;   // For each document its place in tracked_, or kOther.
    std::vector<std::uint32_t> positions_;    // Of the tracked; 0 is the best.
    std::vector<Crossing> crossings_;
    std::vector<Crossing> sorted_;
    std::vector<Grade> ranked_;           // Grades by position, as of the last value.
    std::vector<std::uint32_t> touched_;  // Tracked documents that moved since.
    std::vector<std::uint32_t> placed_;   // Position of each in ranked_.
    std::vector<LineStep> steps_;
    double value_ = 0;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/training_measure.h"
#include "braid/error.h"

namespace braid {

// A line split into buckets, and the bucket of a point.

/// The changes of the rankings of several queries in a bucket.
struct LineBucket {
    double change = 0;      ///< Total change of the sum of their measures.
    double gain = 0;        ///< Bound: the sum never exceeds the bucket's begin plus this.
    std::size_t steps = 0;  ///< Upper bound of the number of crossings.
};

/// The bit, of 64, of a bucket; buckets may share one.
inline std::uint64_t bucket_bit(std::size_t bucket, std::size_t buckets) {
    return std::uint64_t{1} << bucket * 64 / buckets;
}

/// (begin, end] split into (begin, cut], (cut, next cut], .. (last cut, end]. Either end may be
/// infinite. Finds a point's bucket without a search.
class LineCuts {
  public:
    /// `cuts` ascend and lie between begin and end. Drops cuts that are too close together.
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
    // Monotone in `at`, as is each operation.
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
    std::vector<double> cuts_;          // With the ends and infinity; the end is finite here.
    std::vector<std::uint16_t> least_;  // For each cell the number of cuts in cells before it.
};

// One query's measure along a line of weights. docs/algorithms/coordinate.md.

/// The measure changes by `change` where the line passes `at`.
struct LineStep {
    double at;
    double change;
};

/// Sorts by `at`; equal ones keep their order.
void sort_steps(std::vector<LineStep>& steps);

/// Follows the ranking of one query by a_d + t b_d for t in (begin, end], for any measure. Reuses
/// its memory between queries; one a thread.
class LineSweep {
  public:
    explicit LineSweep(const TrainingMeasure& measure) : measure_(measure) {}

    /// Whether no value exceeds 1, for any measure.
    static constexpr bool kAtMostOne = false;

    /// Sets the query and the part of the line, (begin, end], for the other functions; either end
    /// may be infinite. Borrows a and b, each with one number a document of the query's pool.
    void load(std::size_t query, std::span<const double> bases, std::span<const double> slopes,
              double begin, double end);

    /// Appends the points of some crossings, unordered, and returns about how many crossings there
    /// are in all.
    std::size_t find_places(std::vector<double>& places);

    /// Appends the query's steps, in order, to `steps` and returns the measure just after begin.
    double sweep(std::vector<LineStep>& steps);

    /// Adds the changes in each bucket to `buckets`, sets bucket_bit in `touched` for changed ones,
    /// and returns the measure just after begin. The buckets must be those of the part loaded.
    double fill(const LineCuts& cuts, std::span<LineBucket> buckets, std::uint64_t& touched);

  private:
    // Document `rising` passes `falling`; indexes into the tracked documents, or kOther.
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
    std::vector<std::uint32_t> tracked_at_;   // For each document its index in tracked_, or kOther.
    std::vector<std::uint32_t> positions_;    // Positions of the tracked; 0 is the best.
    std::vector<Crossing> crossings_;
    std::vector<Crossing> sorted_;
    std::vector<Grade> ranked_;           // Grades by position, as of the last value.
    std::vector<std::uint32_t> touched_;  // Tracked documents that moved since.
    std::vector<std::uint32_t> placed_;   // Position of each in ranked_.
    std::vector<LineStep> steps_;
    double value_ = 0;
};

// One query's average precision along a line of weights. docs/algorithms/coordinate.md, 2.

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

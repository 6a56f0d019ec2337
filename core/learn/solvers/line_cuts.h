// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// A line cut into buckets, and the bucket of a place; not installed.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

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

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Grows the trees of boosting, from gradients. docs/algorithms/trees.md section 2.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/core/learn/losses/lambda_slopes.h"
#include "braid/core/model/forest.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// Scores in bins, up to 256 for each ranker. A row's bins stand together.
class BinnedScores {
  public:
    /// `scores`: rows x width. Throws InvalidArgument for 2^24 rows or more: counts of rows share
    /// a number with sums. O(rows log rows) for each ranker.
    BinnedScores(std::span<const double> scores, std::size_t width, std::size_t bins,
                 Executor& executor);

    std::size_t rows() const { return rows_; }
    std::size_t width() const { return cuts_.size(); }
    std::size_t bins(std::size_t ranker) const { return cuts_[ranker].size() + 1; }
    /// Between a bin and the next one.
    double cut(std::size_t ranker, std::size_t bin) const { return cuts_[ranker][bin]; }
    const std::uint8_t* row(std::size_t i) const { return bins_.data() + i * cuts_.size(); }

  private:
    std::size_t rows_;
    std::vector<std::vector<double>> cuts_;
    std::vector<std::uint8_t> bins_;
};

struct GrowthOptions {
    std::size_t leaves = 31;
    std::size_t least_rows = 20;  ///< In a leaf.
    double l2 = 1;
    bool rising = false;  ///< No score may lower a tree's value when it rises.
    double step = 0.1;    ///< Factor of the leaves' values.
};

/// Grows trees on the same rows. Borrows them. For one caller at a time.
class HistogramTrees {
  public:
    HistogramTrees(const BinnedScores& rows, Executor& executor);

    /// Appends a tree of weight 1 to the forest, and adds its values to `sums`, one a row. It
    /// learns from the `sample`, ascending rows, and the rankers of `columns`. The same bits at any
    /// number of threads. False: nothing gains, and there is no tree.
    bool grow(std::span<const RowSlope> slopes, std::span<const std::uint32_t> sample,
              std::span<const std::uint32_t> columns, const GrowthOptions& options,
              ForestFunction& forest, std::span<double> sums);

  private:
    // Sums of a bin or a node: gradients, and curvatures with the number of rows in the last 24
    // bits. Whole numbers, so that no order of additions matters.
    struct Sums {
        std::int64_t gradient = 0;
        std::int64_t curvature_and_rows = 0;

        std::size_t rows() const { return static_cast<std::size_t>(curvature_and_rows & kRows); }
    };
    static constexpr std::int64_t kRows = (std::int64_t{1} << 24) - 1;

    struct Cut {
        double gain = 0;
        std::uint32_t ranker = 0;
        std::uint32_t bin = 0;  ///< The last one below.
        Sums below;
    };
    struct Leaf {
        std::uint32_t begin = 0;  ///< Of its rows in `order_`.
        std::uint32_t end = 0;
        std::uint32_t node = 0;
        Sums sums;
        double least = 0;  ///< Bounds of its value.
        double most = 0;
        Cut best;
        std::vector<Sums> histogram;
    };

    void scale(std::span<const RowSlope> slopes, std::span<const std::uint32_t> sample);
    void fill(Leaf& leaf, std::span<const std::uint32_t> columns) const;
    void find_cut(Leaf& leaf, std::span<const std::uint32_t> columns,
                  const GrowthOptions& options) const;
    Cut best_cut(const Leaf& leaf, std::uint32_t ranker, const GrowthOptions& options) const;
    std::uint32_t part(const Leaf& leaf);
    void split(std::size_t leaf, std::span<const std::uint32_t> columns,
               const GrowthOptions& options, ForestFunction& forest);
    void add_others(std::span<const std::uint32_t> sample, const ForestFunction& forest,
                    std::span<double> sums) const;
    double gradient(const Sums& sums) const {
        return static_cast<double>(sums.gradient) * gradient_unit_;
    }
    double curvature(const Sums& sums) const {
        return static_cast<double>(sums.curvature_and_rows >> 24U) * curvature_unit_;
    }
    double value(const Sums& sums, const Leaf& bounds, const GrowthOptions& options) const;
    double fall(const Sums& sums, double value, const GrowthOptions& options) const;

    const BinnedScores& rows_;
    Executor& executor_;
    std::vector<std::size_t> first_bin_;  // Of each ranker in a histogram.
    std::vector<Sums> row_sums_;          // Of the sampled rows, by row.
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> moved_;
    std::vector<Leaf> leaves_;
    std::uint32_t root_ = 0;               // Of the tree that grows, in its forest.
    std::vector<std::uint8_t> node_bins_;  // Its cuts, by node from the root on.
    double gradient_unit_ = 1;
    double curvature_unit_ = 1;
};

}  // namespace braid

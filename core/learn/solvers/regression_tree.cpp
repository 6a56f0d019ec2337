// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/regression_tree.h"

#include <algorithm>
#include <numeric>

// Equations are those of docs/algorithms/regression.md.

namespace braid {
namespace {

struct Sums {
    double weight = 0;
    double target = 0;

    void add(double w, double y) {
        weight += w;
        target += w * y;
    }
    double gain() const { return weight > 0 ? target * target / weight : 0; }
};

struct Split {
    double gain = 0;
    std::uint32_t ranker = 0;
    double threshold = 0;
};

// The rows of one node stand at [begin, end) of every column's order.
class Growth {
  public:
    Growth(std::span<const double> scores, std::size_t width, std::span<const std::uint32_t> order,
           std::span<const double> targets, std::span<const double> weights,
           const TreeOptions& options, ForestFunction& forest)
        : scores_(scores),
          width_(width),
          targets_(targets),
          weights_(weights),
          options_(options),
          forest_(forest),
          is_below_(targets.size(), false) {
        for (std::size_t k = 0; k < width; ++k) {
            columns_.emplace_back();
            for (std::size_t i = 0; i < targets.size(); ++i) {
                const std::uint32_t row = order[k * targets.size() + i];
                if (weights[row] > 0) columns_.back().push_back(row);
            }
        }
        rows_ = columns_.empty() ? 0 : columns_.front().size();
    }

    std::uint32_t grow() { return grow(0, rows_, 0); }

  private:
    double score(std::uint32_t row, std::size_t k) const { return scores_[row * width_ + k]; }

    std::uint32_t grow(std::size_t begin, std::size_t end, std::size_t depth) {
        const auto place = static_cast<std::uint32_t>(forest_.nodes.size());
        forest_.nodes.emplace_back();
        Sums all;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = columns_[0][i];
            all.add(weights_[row], targets_[row]);
        }
        forest_.nodes[place].value = all.weight > 0 ? all.target / all.weight : 0;
        if (depth == options_.depth) return place;
        const Split split = best_split(begin, end, all);
        if (!(split.gain > 0)) return place;
        const std::size_t middle = part(begin, end, split);
        const std::uint32_t below = grow(begin, middle, depth + 1);
        const std::uint32_t above = grow(middle, end, depth + 1);
        TreeNode& node = forest_.nodes[place];
        node.ranker = split.ranker;
        node.threshold = split.threshold;
        node.below = below;
        node.above = above;
        return place;
    }

    // (1). A gain that is rounding is none: targets that are all alike are not split.
    Split best_split(std::size_t begin, std::size_t end, const Sums& all) const {
        Split best;
        best.gain = 1e-12 * (1 + all.gain());
        bool is_found = false;
        for (std::size_t k = 0; k < width_; ++k) {
            const std::vector<std::uint32_t>& column = columns_[k];
            Sums below;
            for (std::size_t i = begin; i + 1 < end; ++i) {
                below.add(weights_[column[i]], targets_[column[i]]);
                const double here = score(column[i], k);
                const double next = score(column[i + 1], k);
                if (here == next) continue;
                if (below.weight < options_.leaf) continue;
                if (all.weight - below.weight < options_.leaf) break;
                const Sums above{all.weight - below.weight, all.target - below.target};
                const double gain = below.gain() + above.gain() - all.gain();
                if (gain <= best.gain) continue;
                best = {gain, static_cast<std::uint32_t>(k), halfway(here, next)};
                is_found = true;
            }
        }
        return is_found ? best : Split{};
    }

    // Moves the rows of the lower part to the front of every column, keeping their order.
    std::size_t part(std::size_t begin, std::size_t end, const Split& split) {
        std::size_t middle = begin;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t row = columns_[0][i];
            is_below_[row] = score(row, split.ranker) <= split.threshold;
            if (is_below_[row]) ++middle;
        }
        for (std::vector<std::uint32_t>& column : columns_) {
            std::stable_partition(column.begin() + static_cast<std::ptrdiff_t>(begin),
                                  column.begin() + static_cast<std::ptrdiff_t>(end),
                                  [&](std::uint32_t row) { return is_below_[row]; });
        }
        return middle;
    }

    std::span<const double> scores_;
    std::size_t width_;
    std::span<const double> targets_;
    std::span<const double> weights_;
    TreeOptions options_;
    ForestFunction& forest_;
    std::vector<std::vector<std::uint32_t>> columns_;
    std::vector<bool> is_below_;
    std::size_t rows_ = 0;
};

}  // namespace

TreeGrower::TreeGrower(std::span<const double> scores, std::size_t width)
    : scores_(scores), width_(width) {
    const std::size_t rows = width == 0 ? 0 : scores.size() / width;
    order_.resize(rows * width);
    for (std::size_t k = 0; k < width; ++k) {
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(k * rows);
        std::iota(begin, begin + static_cast<std::ptrdiff_t>(rows), 0U);
        std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(rows),
                         [&](std::uint32_t a, std::uint32_t b) {
                             return scores[a * width + k] < scores[b * width + k];
                         });
    }
}

void TreeGrower::grow(std::span<const double> targets, std::span<const double> weights,
                      const TreeOptions& options, ForestFunction& forest) const {
    Growth growth(scores_, width_, order_, targets, weights, options, forest);
    forest.roots.push_back(growth.grow());
    forest.weights.push_back(0);
}

}  // namespace braid

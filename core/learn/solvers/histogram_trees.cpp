// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/histogram_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/learn/solvers/regression_tree.h"

// Equations are those of docs/algorithms/trees.md.

namespace braid {
namespace {

// Rankers whose sums of one node one thread adds up, unless there are too few for all threads.
constexpr std::size_t kColumnsAtOnce = 64;
// Work that is not worth waking other threads for: rows times rankers.
constexpr std::size_t kLittle = 20000;

// Cuts between bins of about as many rows each; a score never falls in two bins.
std::vector<double> cuts_of(std::vector<double>& scores, std::size_t bins) {
    std::sort(scores.begin(), scores.end());
    std::vector<double> cuts;
    std::size_t begin = 0;  // Of the bin.
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < scores.size(); ++i) distinct += scores[i] != scores[i - 1] ? 1 : 0;
    const bool has_room = distinct <= bins;
    for (std::size_t i = 1; i < scores.size() && cuts.size() + 1 < bins; ++i) {
        if (scores[i] == scores[i - 1]) continue;
        const std::size_t fair = (scores.size() - begin) / (bins - cuts.size());
        if (!has_room && i - begin < std::max<std::size_t>(fair, 1)) continue;
        cuts.push_back(halfway(scores[i - 1], scores[i]));
        begin = i;
    }
    return cuts;
}

}  // namespace

BinnedScores::BinnedScores(std::span<const double> scores, std::size_t width, std::size_t bins,
                           Executor& executor)
    : rows_(width == 0 ? 0 : scores.size() / width), cuts_(width), bins_(scores.size()) {
    if (rows_ >> 24U != 0) {
        throw InvalidArgument(
            fmt::format("{} rows, expected fewer than {} for trees", rows_, std::size_t{1} << 24U));
    }
    executor.run(width, [&](std::size_t k) {
        std::vector<double> column(rows_);
        for (std::size_t i = 0; i < rows_; ++i) column[i] = scores[i * width + k];
        cuts_[k] = cuts_of(column, bins);
        const std::vector<double>& cuts = cuts_[k];
        for (std::size_t i = 0; i < rows_; ++i) {
            const double score = scores[i * width + k];
            bins_[i * width + k] = static_cast<std::uint8_t>(
                std::lower_bound(cuts.begin(), cuts.end(), score) - cuts.begin());
        }
    });
}

HistogramTrees::HistogramTrees(const BinnedScores& rows, Executor& executor)
    : rows_(rows), executor_(executor), row_sums_(rows.rows()) {
    first_bin_.push_back(0);
    for (std::size_t k = 0; k < rows.width(); ++k) {
        first_bin_.push_back(first_bin_.back() + rows.bins(k));
    }
}

// Units in which no sum can overflow: 2^62 holds all gradients, 2^39 all curvatures.
void HistogramTrees::scale(std::span<const RowSlope> slopes,
                           std::span<const std::uint32_t> sample) {
    double gradients = 0;
    double curvatures = 0;
    for (const std::uint32_t row : sample) {
        gradients += std::abs(slopes[row].gradient);
        curvatures += slopes[row].curvature;
    }
    const auto unit = [](double sum, int bits) {
        return sum > 0 ? std::ldexp(1.0, std::ilogb(sum) + 2 - bits) : 1.0;
    };
    gradient_unit_ = unit(gradients, 62);
    curvature_unit_ = unit(curvatures, 38);
    for (const std::uint32_t row : sample) {
        const std::int64_t curvature = std::llround(slopes[row].curvature / curvature_unit_);
        row_sums_[row] = {std::llround(slopes[row].gradient / gradient_unit_),
                          (curvature << 24U) | 1};
    }
}

void HistogramTrees::fill(Leaf& leaf, std::span<const std::uint32_t> columns) const {
    leaf.histogram.assign(first_bin_.back(), {});
    const std::size_t work = (leaf.end - leaf.begin) * columns.size();
    const std::size_t threads = work < kLittle ? 1 : executor_.threads();
    const std::size_t chunk = std::min(kColumnsAtOnce, (columns.size() + threads - 1) / threads);
    const auto add = [&](std::size_t c) {
        const auto some = columns.subspan(c * chunk, std::min(chunk, columns.size() - c * chunk));
        const bool is_all = some.size() == rows_.width();
        Sums* const histogram = leaf.histogram.data();
        for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
            const std::uint32_t row = order_[i];
            const Sums sums = row_sums_[row];
            const std::uint8_t* const bins = rows_.row(row);
            const auto take = [&](std::size_t k) {
                Sums& sum = histogram[first_bin_[k] + bins[k]];
                sum.gradient += sums.gradient;
                sum.curvature_and_rows += sums.curvature_and_rows;
            };
            if (is_all) {
                for (std::size_t k = 0; k < some.size(); ++k) take(k);
            } else {
                for (const std::uint32_t k : some) take(k);
            }
        }
    };
    const std::size_t chunks = (columns.size() + chunk - 1) / chunk;
    if (chunks == 1) {
        add(0);
    } else {
        executor_.run(chunks, add);
    }
}

// -G / (H + l), within the bounds that other cuts have set.
double HistogramTrees::value(const Sums& sums, const Leaf& bounds,
                             const GrowthOptions& options) const {
    const double weight = curvature(sums) + options.l2;
    const double value = weight > 0 ? -gradient(sums) / weight : 0;
    return options.rising ? std::clamp(value, bounds.least, bounds.most) : value;
}

// What the loss falls by at that value.
double HistogramTrees::fall(const Sums& sums, double value, const GrowthOptions& options) const {
    return -(gradient(sums) + (curvature(sums) + options.l2) * value / 2) * value;
}

// (8)
HistogramTrees::Cut HistogramTrees::best_cut(const Leaf& leaf, std::uint32_t ranker,
                                             const GrowthOptions& options) const {
    const Sums* const histogram = leaf.histogram.data() + first_bin_[ranker];
    const std::size_t bins = rows_.bins(ranker);
    const std::size_t rows = leaf.sums.rows();
    const double whole = fall(leaf.sums, value(leaf.sums, leaf, options), options);
    Cut best;
    best.gain = 1e-9 * std::abs(whole);
    best.ranker = ranker;
    bool is_found = false;
    Sums below;
    for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
        if (histogram[bin].curvature_and_rows == 0) continue;
        below.gradient += histogram[bin].gradient;
        below.curvature_and_rows += histogram[bin].curvature_and_rows;
        const std::size_t count = below.rows();
        if (count < options.least_rows) continue;
        if (rows - count < options.least_rows) break;
        const Sums above{leaf.sums.gradient - below.gradient,
                         leaf.sums.curvature_and_rows - below.curvature_and_rows};
        const double value_below = value(below, leaf, options);
        const double value_above = value(above, leaf, options);
        if (options.rising && value_below > value_above) continue;
        const double gain =
            fall(below, value_below, options) + fall(above, value_above, options) - whole;
        if (gain <= best.gain) continue;
        best.gain = gain;
        best.bin = static_cast<std::uint32_t>(bin);
        best.below = below;
        is_found = true;
    }
    return is_found ? best : Cut{};
}

void HistogramTrees::find_cut(Leaf& leaf, std::span<const std::uint32_t> columns,
                              const GrowthOptions& options) const {
    leaf.best = {};
    if (leaf.sums.rows() < 2 * options.least_rows) return;
    for (const std::uint32_t k : columns) {
        Cut cut = best_cut(leaf, k, options);
        if (cut.gain > leaf.best.gain) leaf.best = cut;
    }
}

// Moves the rows of the lower part to the front; both keep their order.
std::uint32_t HistogramTrees::part(const Leaf& leaf) {
    std::uint32_t* below = order_.data() + leaf.begin;
    std::uint32_t* above = moved_.data();
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
        const std::uint32_t row = order_[i];
        const bool is_below = rows_.row(row)[leaf.best.ranker] <= leaf.best.bin;
        *below = row;
        *above = row;
        below += is_below ? 1 : 0;
        above += is_below ? 0 : 1;
    }
    std::copy(moved_.data(), above, below);
    return static_cast<std::uint32_t>(below - order_.data());
}

void HistogramTrees::split(std::size_t place, std::span<const std::uint32_t> columns,
                           const GrowthOptions& options, ForestFunction& forest) {
    Leaf below = std::move(leaves_[place]);
    const std::uint32_t middle = part(below);
    Leaf above;
    above.begin = middle;
    above.end = std::exchange(below.end, middle);
    const Sums whole = std::exchange(below.sums, below.best.below);
    above.sums = {whole.gradient - below.sums.gradient,
                  whole.curvature_and_rows - below.sums.curvature_and_rows};
    above.least = below.least;
    above.most = below.most;
    if (options.rising) {
        const double bound =
            value(below.sums, below, options) / 2 + value(above.sums, above, options) / 2;
        below.most = bound;
        above.least = bound;
    }
    const auto next = static_cast<std::uint32_t>(forest.nodes.size());
    TreeNode& node = forest.nodes[below.node];
    node.ranker = below.best.ranker;
    node.threshold = rows_.cut(below.best.ranker, below.best.bin);
    node_bins_[below.node - root_] = static_cast<std::uint8_t>(below.best.bin);
    node.below = below.node = next;
    node.above = above.node = next + 1;
    forest.nodes.resize(next + 2);
    node_bins_.resize(next + 2 - root_);
    std::vector<Sums> rest = std::move(below.histogram);
    const bool is_fewer_below = below.end - below.begin <= above.end - above.begin;
    Leaf& fewer = is_fewer_below ? below : above;
    Leaf& more = is_fewer_below ? above : below;
    fill(fewer, columns);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i].gradient -= fewer.histogram[i].gradient;
        rest[i].curvature_and_rows -= fewer.histogram[i].curvature_and_rows;
    }
    more.histogram = std::move(rest);
    find_cut(below, columns, options);
    find_cut(above, columns, options);
    leaves_[place] = std::move(below);
    leaves_.push_back(std::move(above));
}

// What the tree gives the rows that it was not learned from.
void HistogramTrees::add_others(std::span<const std::uint32_t> sample, const ForestFunction& forest,
                                std::span<double> sums) const {
    std::size_t next = 0;
    for (std::uint32_t row = 0; row < sums.size(); ++row) {
        if (next < sample.size() && sample[next] == row) {
            ++next;
            continue;
        }
        std::uint32_t place = root_;
        const std::uint8_t* const bins = rows_.row(row);
        while (forest.nodes[place].below != 0) {
            const TreeNode& node = forest.nodes[place];
            place = bins[node.ranker] <= node_bins_[place - root_] ? node.below : node.above;
        }
        sums[row] += forest.nodes[place].value;
    }
}

bool HistogramTrees::grow(std::span<const RowSlope> slopes, std::span<const std::uint32_t> sample,
                          std::span<const std::uint32_t> columns, const GrowthOptions& options,
                          ForestFunction& forest, std::span<double> sums) {
    scale(slopes, sample);
    order_.assign(sample.begin(), sample.end());
    moved_.resize(order_.size());
    leaves_.assign(1, {});
    Leaf& whole = leaves_.front();
    whole.end = static_cast<std::uint32_t>(order_.size());
    whole.least = -std::numeric_limits<double>::infinity();
    whole.most = std::numeric_limits<double>::infinity();
    for (const std::uint32_t row : order_) {
        whole.sums.gradient += row_sums_[row].gradient;
        whole.sums.curvature_and_rows += row_sums_[row].curvature_and_rows;
    }
    whole.node = static_cast<std::uint32_t>(forest.nodes.size());
    fill(whole, columns);
    find_cut(whole, columns, options);
    if (!(whole.best.gain > 0)) return false;
    root_ = whole.node;
    node_bins_.assign(1, 0);
    forest.nodes.emplace_back();
    while (leaves_.size() < options.leaves) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < leaves_.size(); ++i) {
            if (leaves_[i].best.gain > leaves_[best].best.gain) best = i;
        }
        if (!(leaves_[best].best.gain > 0)) break;
        split(best, columns, options, forest);
    }
    for (const Leaf& leaf : leaves_) {
        const double step = options.step * value(leaf.sums, leaf, options);
        forest.nodes[leaf.node].value = step;
        for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) sums[order_[i]] += step;
    }
    if (sample.size() < sums.size()) add_others(sample, forest, sums);
    forest.roots.push_back(root_);
    forest.weights.push_back(1);
    return true;
}

}  // namespace braid

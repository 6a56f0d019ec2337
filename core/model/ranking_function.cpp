// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/ranking_function.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/error.h"

namespace braid {
namespace {

void score(const LinearFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    if (function.weights.size() != set.width()) {
        throw InvalidArgument(fmt::format("{} weights for {} rankers, expected one a ranker",
                                          function.weights.size(), set.width()));
    }
    weighted_sums(set.query_scores(query), function.weights, scores);
}

// The function's features are found by name among those of the set.
std::vector<double> weights_for(const AttentionFunction& function, const TrainingSet& set,
                                std::size_t query) {
    const std::vector<std::string>& names = set.query_feature_names;
    std::vector<double> features;
    for (const std::string& name : function.features) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            throw InvalidArgument(
                fmt::format("the set has no query feature {}, which the weights depend on", name));
        }
        features.push_back(set.query_features[query * names.size() +
                                              static_cast<std::size_t>(found - names.begin())]);
    }
    return attention_weights(function, set.query_key(query), features);
}

void score(const AttentionFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    score(LinearFunction{weights_for(function, set, query)}, set, query, scores);
}

// One ranker's steps: what a score above thresholds[i - 1] and not above thresholds[i] has risen
// to.
struct Stairs {
    std::size_t ranker;
    std::vector<double> thresholds;
    std::vector<double> heights = {0};
};

double height_at(const Stairs& stairs, double score) {
    const auto above = std::lower_bound(stairs.thresholds.begin(), stairs.thresholds.end(), score);
    return stairs.heights[static_cast<std::size_t>(above - stairs.thresholds.begin())];
}

std::vector<Stairs> stairs_of(const StepFunction& function) {
    std::vector<Stairs> result;
    for (std::size_t i = 0; i < function.rankers.size(); ++i) {
        if (result.empty() || result.back().ranker != function.rankers[i]) {
            result.push_back({function.rankers[i], {}});
        }
        Stairs& stairs = result.back();
        stairs.thresholds.push_back(function.thresholds[i]);
        stairs.heights.push_back(stairs.heights.back() + function.rises[i]);
    }
    return result;
}

void score(const BordaFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    std::fill(scores.begin(), scores.end(), 0);
    std::vector<double> votes(scores.size());
    std::vector<double> ascending;
    for (const std::vector<double>& weights : function.functions) {
        score(LinearFunction{weights}, set, query, votes);
        ascending = votes;
        std::sort(ascending.begin(), ascending.end());
        for (std::size_t d = 0; d < votes.size(); ++d) {
            const auto [first, last] =
                std::equal_range(ascending.begin(), ascending.end(), votes[d]);
            const auto below = static_cast<double>(first - ascending.begin());
            scores[d] += below + 0.5 * (static_cast<double>(last - first) - 1);
        }
    }
}

LinearFunction weights_for(const SemiSupervisedFunction& function, const TrainingSet& set,
                           std::size_t query) {
    if (function.base.size() != set.width()) {
        throw InvalidArgument(fmt::format("weights of {} rankers for {}, expected one a ranker",
                                          function.base.size(), set.width()));
    }
    if (!function.by_places) {
        return {semi_supervised_weights(function, set.query_scores(query))};
    }
    if (set.places.empty() && set.rows() > 0) {
        throw InvalidArgument(
            "weights of the graph in topic space: the set has no topic vectors of its documents; "
            "only a database whose rankers use a topic model gives them");
    }
    return {semi_supervised_weights(function, set.query_scores(query), set.query_places(query))};
}

void score(const SemiSupervisedFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    score(weights_for(function, set, query), set, query, scores);
}

// Forests and steps are scored by PreparedFunction's trees.
void score(const StepFunction&, const TrainingSet&, std::size_t, std::span<double>) {}
void score(const ForestFunction&, const TrainingSet&, std::size_t, std::span<double>) {}

// How many rankers trees expect; nothing for functions without them.
struct TreeRankers {
    template <typename Other>
    void operator()(const Other&) const {}
    void operator()(const StepFunction& function) const {
        if (function.width == width) return;
        throw InvalidArgument(fmt::format("a step function of {} rankers for {}, expected as many",
                                          function.width, width));
    }
    void operator()(const ForestFunction& function) const {
        if (function.rankers == width) return;
        throw InvalidArgument(fmt::format("trees of {} rankers for {}", function.rankers, width));
    }
    std::size_t width;
};

void score(const MethodFunction& function, const TrainingSet& set, std::size_t query,
           std::span<double> scores) {
    method_scores(function, set, query, scores);
}

ScoreParts parts(const LinearFunction& function, const TrainingSet& set, std::size_t query) {
    ScoreParts result{function.weights, {}};
    const std::span<const double> rows = set.query_scores(query);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        result.added.push_back(function.weights[i % set.width()] * rows[i]);
    }
    return result;
}

ScoreParts parts(const AttentionFunction& function, const TrainingSet& set, std::size_t query) {
    return parts(LinearFunction{weights_for(function, set, query)}, set, query);
}

ScoreParts parts(const SemiSupervisedFunction& function, const TrainingSet& set,
                 std::size_t query) {
    return parts(weights_for(function, set, query), set, query);
}

ScoreParts parts(const StepFunction& function, const TrainingSet& set, std::size_t query) {
    const std::span<const double> rows = set.query_scores(query);
    ScoreParts result{{}, std::vector<double>(rows.size(), 0)};
    for (const Stairs& stairs : stairs_of(function)) {
        for (std::size_t i = stairs.ranker; i < rows.size(); i += set.width()) {
            result.added[i] = height_at(stairs, rows[i]);
        }
    }
    return result;
}

ScoreParts parts(const BordaFunction&, const TrainingSet&, std::size_t) { return {}; }
ScoreParts parts(const ForestFunction&, const TrainingSet&, std::size_t) { return {}; }

ScoreParts parts(const MethodFunction& function, const TrainingSet& set, std::size_t query) {
    ScoreParts result{function.weights, method_parts(function, set, query)};
    if (result.weights.empty()) result.weights.assign(set.width(), 1);
    return result;
}

}  // namespace

bool needs_places(const RankingFunction& function) {
    if (const auto* method = std::get_if<MethodFunction>(&function)) return needs_places(*method);
    const auto* pool = std::get_if<SemiSupervisedFunction>(&function);
    return pool != nullptr && pool->by_places;
}

PreparedFunction::PreparedFunction(const RankingFunction& function) : function_(function) {
    const auto* forest = std::get_if<ForestFunction>(&function);
    if (forest != nullptr && forest->standardised) {
        standardised_ = true;
        linear_ = forest->linear;
        ForestFunction trees = *forest;
        trees.linear.clear();
        trees_.emplace(trees);
    } else if (forest != nullptr) {
        trees_.emplace(*forest);
    }
    if (const auto* steps = std::get_if<StepFunction>(&function)) trees_.emplace(trees_of(*steps));
}

void PreparedFunction::score(const TrainingSet& set, std::size_t query,
                             std::span<double> scores) const {
    if (scores.size() != set.pool_size(query)) {
        throw InvalidArgument(
            fmt::format("room for {} scores, expected {}", scores.size(), set.pool_size(query)));
    }
    std::visit(TreeRankers{set.width()}, function_);
    const std::span<const double> rows = set.query_scores(query);
    if (standardised_) {
        std::vector<double> copy(rows.begin(), rows.end());
        standardise(copy, set.width());
        trees_->score(copy, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            for (std::size_t k = 0; k < linear_.size(); ++k) {
                scores[i] += linear_[k] * rows[i * set.width() + k];
            }
        }
    } else if (trees_) {
        trees_->score(rows, scores);
    }
    std::visit([&](const auto& form) { braid::score(form, set, query, scores); }, function_);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (std::isfinite(scores[i])) continue;
        throw InvalidArgument(
            fmt::format("the score of document {} of query {} is {}, expected a finite number: "
                        "weights and scores are too large together",
                        set.document_label(query, i), shown(set.queries[query]), scores[i]));
    }
}

void score_pool(const RankingFunction& function, const TrainingSet& set, std::size_t query,
                std::span<double> scores) {
    PreparedFunction(function).score(set, query, scores);
}

ScoreParts score_parts(const RankingFunction& function, const TrainingSet& set, std::size_t query) {
    std::vector<double> scores(set.pool_size(query));
    score_pool(function, set, query, scores);  // Checks that they fit together.
    return std::visit([&](const auto& form) { return parts(form, set, query); }, function);
}

TrainingSet standardised(TrainingSet set) {
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        standardise(
            {set.scores.data() + set.query_begin[q] * set.width(), set.pool_size(q) * set.width()},
            set.width());
    }
    set.bounds.clear();
    return set;
}

ForestFunction trees_of(const StepFunction& function) {
    ForestFunction forest;
    forest.rankers = function.width;
    for (const Stairs& stairs : stairs_of(function)) {
        const auto grow = [&](const auto& self, std::size_t low, std::size_t high) -> void {
            const std::size_t place = forest.nodes.size();
            forest.nodes.emplace_back();
            if (low == high) {
                forest.nodes[place].value = stairs.heights[low];
                return;
            }
            const std::size_t middle = low + (high - low) / 2;
            const auto below = static_cast<std::uint32_t>(forest.nodes.size());
            self(self, low, middle);
            const auto above = static_cast<std::uint32_t>(forest.nodes.size());
            self(self, middle + 1, high);
            TreeNode& node = forest.nodes[place];
            node.ranker = static_cast<std::uint32_t>(stairs.ranker);
            node.threshold = stairs.thresholds[middle];
            node.below = below;
            node.above = above;
        };
        forest.roots.push_back(static_cast<std::uint32_t>(forest.nodes.size()));
        forest.weights.push_back(1);
        grow(grow, 0, stairs.thresholds.size());
    }
    return forest;
}

std::optional<ForestFunction> as_trees(const RankingFunction& function) {
    if (const auto* forest = std::get_if<ForestFunction>(&function)) return *forest;
    if (const auto* steps = std::get_if<StepFunction>(&function)) return trees_of(*steps);
    return std::nullopt;
}

StepFunction tidy(const StepFunction& function) {
    std::vector<std::size_t> order(function.rankers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) {
        return std::pair(function.rankers[i], function.thresholds[i]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    StepFunction result{function.width, {}, {}, {}};
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t i = order[place];
        if (place > 0 && key(i) == key(order[place - 1])) {
            result.rises.back() += function.rises[i];
            continue;
        }
        result.rankers.push_back(function.rankers[i]);
        result.thresholds.push_back(function.thresholds[i]);
        result.rises.push_back(function.rises[i]);
    }
    scale_to_sum_one(result.rises);
    return result;
}

void weighted_sums(std::span<const double> rows, std::span<const double> weights,
                   std::span<double> sums) {
    const std::size_t width = weights.size();
    const double* x = rows.data();
    std::size_t i = 0;
    // Four rows at a time, each with its own running sum, so that additions needn't wait for each
    // other. A row's sum has the same bits as alone.
    for (; i + 4 <= sums.size(); i += 4, x += 4 * width) {
        double sum[4] = {0, 0, 0, 0};
        for (std::size_t k = 0; k < width; ++k) {
            for (std::size_t row = 0; row < 4; ++row) sum[row] += weights[k] * x[row * width + k];
        }
        std::copy(sum, sum + 4, sums.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; i < sums.size(); ++i, x += width) {
        double sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum += weights[k] * x[k];
        sums[i] = sum;
    }
}

void scale_to_sum_one(std::span<double> weights) {
    double sum = 0;
    for (const double weight : weights) sum += std::abs(weight);
    if (sum == 0) return;
    for (double& weight : weights) weight /= sum;
}

std::vector<double> shares(const LinearFunction& function, const TrainingSet& set) {
    std::vector<double> result(set.width(), 0);
    for (std::size_t k = 0; k < result.size(); ++k) {
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            result[k] += score_deviation(set, q, k);
        }
        result[k] *= std::abs(function.weights.at(k));
    }
    scale_to_sum_one(result);
    return result;
}

}  // namespace braid

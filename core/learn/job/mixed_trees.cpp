// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/job/held_back.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/training_measure.h"
#include "braid/core/model/model_function.h"

// Equations are those of docs/algorithms/trees.md.

namespace braid {
namespace {

// Held-out queries choose between these and none: the best of several is larger by chance.
constexpr std::size_t kTrees = 40;
// Rows of a query that trees learn from, those that the weights rank first. Of a thousand, most
// cuts would tell apart what no search shows.
constexpr std::size_t kFirst = 150;

LearnerOptions tree_options(const LearnerOptions& options) {
    LearnerOptions result;
    result.seed = options.seed;
    result.measure = options.measure;
    result.judging = options.judging;
    result.parameters = {{"leaves", 8}, {"leaf", 20}, {"step", 0.1}};
    result.choices = {{"monotone", "rising"}};
    return resolve_options(learners().find("lambdamart"), result);
}

std::vector<double> linear_sums(const TrainingSet& set, const std::vector<double>& weights) {
    std::vector<double> sums(set.rows());
    weighted_sums(set.scores, weights, sums);
    return sums;
}

// Mean over queries of the standard deviation of the sums within each.
double spread(const TrainingSet& set, const std::vector<double>& sums) {
    TrainingSet one;
    one.queries = set.queries;
    one.query_begin = set.query_begin;
    one.rankers = {"sum"};
    one.scores = sums;
    one.grades = set.grades;
    double sum = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) sum += score_deviation(one, q, 0);
    return sum / static_cast<double>(std::max<std::size_t>(set.queries.size(), 1));
}

// Rows, ascending. Relevant ones among the others count as missed.
TrainingSet with_rows(const TrainingSet& set, const std::vector<std::size_t>& rows) {
    TrainingSet result;
    result.rankers = set.rankers;
    result.queries = set.queries;
    result.unpooled = set.unpooled;
    result.unpooled.resize(set.queries.size());
    std::size_t next = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            if (next == rows.size() || rows[next] != i) {
                if (set.grades[i] > 0) result.unpooled[q].push_back(set.grades[i]);
                continue;
            }
            ++next;
            const std::span<const double> row = set.row(i);
            result.scores.insert(result.scores.end(), row.begin(), row.end());
            result.grades.push_back(set.grades[i]);
            if (!set.documents.empty()) result.documents.push_back(set.documents[i]);
        }
        result.query_begin.push_back(result.grades.size());
    }
    return result;
}

// What trees learn from: of each query the rows that the weights put first.
struct FirstRows {
    FirstRows(const TrainingSet& set, const std::vector<double>& weights) {
        const std::vector<double> sums = linear_sums(set, weights);
        std::vector<std::size_t> kept;
        for (std::size_t q = 0; q < set.queries.size(); ++q) {
            std::vector<std::size_t> some(set.pool_size(q));
            std::iota(some.begin(), some.end(), set.query_begin[q]);
            if (some.size() > kFirst) {
                std::stable_sort(some.begin(), some.end(),
                                 [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
                some.resize(kFirst);
                std::sort(some.begin(), some.end());
            }
            kept.insert(kept.end(), some.begin(), some.end());
        }
        rows = with_rows(standardised(set), kept);
        std::vector<double> kept_sums;
        kept_sums.reserve(kept.size());
        for (const std::size_t row : kept) kept_sums.push_back(sums[row]);
        linear_spread = spread(rows, kept_sums);
    }

    TrainingSet rows;  ///< Standardised among all rows of their query.
    double linear_spread = 0;
};

// Trees as they grow, beside weights learned from the same queries.
class Mixing {
  public:
    Mixing(const TrainingSet& set, const std::vector<double>& weights,
           const LearnerOptions& options, Executor& executor)
        : first_(set, weights),
          boosting_(first_.rows, tree_options(options), executor),
          sums_(first_.rows.rows(), 0) {}

    // False: no tree gains anything.
    bool grow() {
        boosting_.measure();
        if (!boosting_.add_tree()) return false;
        const ForestFunction& forest = boosting_.forest();
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            sums_[i] += tree_value(forest, forest.roots.back(), first_.rows.row(i));
        }
        return true;
    }

    const ForestFunction& forest() const { return boosting_.forest(); }

    // (12): what a sum of trees is multiplied by to spread as the weighted sum does.
    double unit() const {
        const double own = spread(first_.rows, sums_);
        return own > 0 && first_.linear_spread > 0 ? first_.linear_spread / own : 0;
    }

  private:
    FirstRows first_;
    TreeBoosting boosting_;
    std::vector<double> sums_;
};

// Gains over the weights alone, one a query of `outside`.
void add_gains(const TrainingSet& inside, const TrainingSet& outside,
               const std::vector<double>& weights, const LearnerOptions& options,
               Executor& executor, ProgressGate& gate, std::vector<double>& gains) {
    const TrainingMeasure measure(outside, options.measure, options.judging);
    const TrainingSet rows = standardised(outside);
    Mixing mixing(inside, weights, options, executor);
    for (std::size_t t = 0; t < kTrees && mixing.grow(); ++t) gate.step("");
    const ForestFunction& forest = mixing.forest();
    const double unit = mixing.unit();
    const std::vector<double> linear = linear_sums(outside, weights);
    std::vector<double> mixed = linear;
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        double sum = 0;
        for (const std::uint32_t root : forest.roots) sum += tree_value(forest, root, rows.row(i));
        mixed[i] += unit * sum;
    }
    for (const std::size_t q : measure.queries()) {
        const auto value = [&](const std::vector<double>& sums) {
            return measure.of_scores(q,
                                     {sums.data() + outside.query_begin[q], outside.pool_size(q)});
        };
        gains.push_back(value(mixed) - value(linear));
    }
}

struct Gain {
    std::size_t queries = 0;
    double mean = 0;
    double error = 0;  ///< Its standard error.
};

Gain gain_of(const std::vector<double>& gains) {
    Gain gain{.queries = gains.size()};
    const auto count = static_cast<double>(gains.size());
    if (gains.size() < 2) return gain;
    for (const double one : gains) gain.mean += one / count;
    double squares = 0;
    for (const double one : gains) squares += (one - gain.mean) * (one - gain.mean);
    gain.error = std::sqrt(squares / (count - 1) / count);
    return gain;
}

// (13)
bool is_kept(const Gain& gain, double errors) {
    return static_cast<double>(gain.queries) > errors * errors &&
           gain.mean - errors * gain.error > 0;
}

std::string in_words(std::size_t trees, const Gain& gain, const LearnerOptions& options) {
    return fmt::format("{} (gain on {} held-out queries {:+.4f} +- {:.4f} {})",
                       trees == 0 ? "no trees beside the weights"
                                  : fmt::format("{} trees beside the weights", trees),
                       gain.queries, gain.mean, gain.error, options.measure);
}

}  // namespace

MixedTrees mix_with_trees(const TrainingSet& set, const std::vector<double>& weights,
                          const LearnWeights& learn, const LearnerOptions& options,
                          const MixingOptions& mixing, Executor& executor,
                          const Progress& progress) {
    const std::vector<HeldOutPart> parts = held_out_parts(set, options, mixing.parts);
    const std::size_t fits = (parts.size() > 1 ? parts.size() : 0) + 1;
    ProgressGate gate(progress, "trees beside weights", "trees",
                      (fits + (options.validation != nullptr ? 1 : 0)) * kTrees);
    std::vector<double> gains;
    if (options.validation != nullptr) {
        add_gains(set, *options.validation, weights, options, executor, gate, gains);
    }
    for (std::size_t p = 0; p < parts.size() && parts.size() > 1; ++p) {
        const TrainingSet inside = subset(set, parts[p].inside);
        add_gains(inside, subset(set, parts[p].outside), learn(inside), options, executor, gate,
                  gains);
    }
    const Gain gain = gain_of(gains);
    MixedTrees result{LinearFunction{weights}, 0, in_words(0, gain, options)};
    if (!is_kept(gain, mixing.errors)) return result;
    Mixing whole(set, weights, options, executor);
    for (; result.trees < kTrees && whole.grow(); ++result.trees) gate.step("");
    if (result.trees == 0) return result;
    result.reason = in_words(result.trees, gain, options);
    ForestFunction forest = whole.forest();
    const auto count = static_cast<double>(result.trees);
    const double factor = whole.unit() * count;
    for (TreeNode& node : forest.nodes) node.value *= factor;
    forest.weights.assign(result.trees, 1 / count);
    forest.linear = weights;
    forest.standardised = true;
    result.function = std::move(forest);
    return result;
}

std::string add_trees(const TrainingSet& set, const LearnWeights& learn,
                      const LearnerOptions& options, const MixingOptions& mixing,
                      Executor& executor, const Progress& progress, TrainingResult& result) {
    MixedTrees mixed = mix_with_trees(set, *fixed_weights(result.function), learn, options, mixing,
                                      executor, progress);
    result.function = std::move(mixed.function);
    result.iterations += mixed.trees;
    return mixed.reason;
}

namespace {

TrainingResult fit(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                   const Progress& progress) {
    LearnerOptions inner = options;
    inner.parameters.clear();
    inner.choices.clear();
    inner.watched.clear();
    // Weights of a database's rankers are also to rank alone, in one pass.
    if (!options.anchor.empty()) inner.choices = {{"weights", "non-negative"}};
    TrainingResult result = fit_learner("listnet", set, inner, executor, progress);
    inner.validation = nullptr;
    const LearnWeights learn = [&](const TrainingSet& some) {
        return *fixed_weights(fit_learner("listnet", some, inner, executor, progress).function);
    };
    LearnerOptions of_trees = inner;
    of_trees.validation = options.validation;
    result.stop_reason =
        add_trees(set, learn, of_trees,
                  {.parts = static_cast<std::size_t>(options.parameters.at("parts")),
                   .errors = options.parameters.at("errors")},
                  executor, progress, result);
    set_measured(set, options, executor, result);
    result.warnings.clear();
    return result;
}

}  // namespace

LearnerMethod mixed_method() {
    return {.parameters = {{"parts", 5, 2, 1000, "in which queries are held out", kWhole},
                           {"errors", 1, 0, 10,
                            "standard errors by which the gain of trees must exceed 0"}},
            .forms = {"linear", "signed-linear", "forest"},
            .may_weigh_negatively = true,
            .holds_back = true,
            .fit = fit};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
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

// What held-out queries choose among: few, since the best of many is larger by chance.
constexpr std::array<std::size_t, 3> kTrees = {10, 20, 40};
constexpr std::array<double, 3> kShares = {0.5, 1, 2};
constexpr std::size_t kChoices = kTrees.size() * kShares.size();

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

// Trees as they grow, beside weights learned from the same queries.
class Mixing {
  public:
    Mixing(const TrainingSet& set, const std::vector<double>& weights,
           const LearnerOptions& options, Executor& executor)
        : set_(set),
          rows_(standardised(set)),
          boosting_(rows_, tree_options(options), executor),
          sums_(set.rows(), 0),
          linear_spread_(spread(set, linear_sums(set, weights))) {}

    // False: no tree gains anything.
    bool grow() {
        boosting_.measure();
        if (!boosting_.add_tree()) return false;
        const ForestFunction& forest = boosting_.forest();
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            sums_[i] += tree_value(forest, forest.roots.back(), rows_.row(i));
        }
        return true;
    }

    const ForestFunction& forest() const { return boosting_.forest(); }

    // (12): what a sum of trees is multiplied by to spread as the weighted sum does.
    double unit() const {
        const double own = spread(set_, sums_);
        return own > 0 && linear_spread_ > 0 ? linear_spread_ / own : 0;
    }

  private:
    const TrainingSet& set_;
    TrainingSet rows_;
    TreeBoosting boosting_;
    std::vector<double> sums_;
    double linear_spread_;
};

// Gains over the weights alone, by choice and held-out query.
using Gains = std::array<std::vector<double>, kChoices>;

void add_gains(const TrainingSet& inside, const TrainingSet& outside,
               const std::vector<double>& weights, const LearnerOptions& options,
               Executor& executor, ProgressGate& gate, Gains& gains) {
    const TrainingMeasure measure(outside, options.measure, options.judging);
    const TrainingSet rows = standardised(outside);
    const std::vector<double> linear = linear_sums(outside, weights);
    const auto values = [&](const std::vector<double>& sums) {
        std::vector<double> result;
        for (const std::size_t q : measure.queries()) {
            result.push_back(
                measure.of_scores(q, {sums.data() + outside.query_begin[q], outside.pool_size(q)}));
        }
        return result;
    };
    const std::vector<double> before = values(linear);
    Mixing mixing(inside, weights, options, executor);
    std::vector<double> trees(outside.rows(), 0);
    std::vector<double> mixed(outside.rows());
    bool goes_on = true;
    std::size_t next = 0;
    for (std::size_t t = 1; t <= kTrees.back(); ++t) {
        gate.step("");
        goes_on = goes_on && mixing.grow();
        if (goes_on) {
            const ForestFunction& forest = mixing.forest();
            for (std::size_t i = 0; i < trees.size(); ++i) {
                trees[i] += tree_value(forest, forest.roots.back(), rows.row(i));
            }
        }
        if (t != kTrees[next]) continue;
        const double unit = mixing.unit();
        for (std::size_t s = 0; s < kShares.size(); ++s) {
            for (std::size_t i = 0; i < mixed.size(); ++i) {
                mixed[i] = linear[i] + kShares[s] * unit * trees[i];
            }
            std::vector<double>& to = gains[next * kShares.size() + s];
            const std::vector<double> after = values(mixed);
            for (std::size_t q = 0; q < after.size(); ++q) to.push_back(after[q] - before[q]);
        }
        ++next;
    }
}

struct Choice {
    std::size_t number = kChoices;  ///< kChoices: none.
    double gain = 0;
    double error = 0;
};

// (13)
Choice choose(const Gains& gains, double errors) {
    Choice best;
    const auto count = static_cast<double>(gains[0].size());
    if (count < 2 || count <= errors * errors) return best;
    for (std::size_t c = 0; c < kChoices; ++c) {
        double gain = 0;
        for (const double one : gains[c]) gain += one / count;
        double squares = 0;
        for (const double one : gains[c]) squares += (one - gain) * (one - gain);
        const double error = std::sqrt(squares / (count - 1) / count);
        if (gain - errors * error > best.gain - errors * best.error) best = {c, gain, error};
    }
    return best;
}

std::string in_words(const Choice& choice, std::size_t queries, const LearnerOptions& options) {
    if (choice.number == kChoices) {
        return fmt::format("trees gain nothing on {} held-out queries", queries);
    }
    return fmt::format(
        "{} trees of {:g} times the spread (gain on {} held-out queries {:+.4f} +- "
        "{:.4f} {})",
        kTrees[choice.number / kShares.size()], kShares[choice.number % kShares.size()], queries,
        choice.gain, choice.error, options.measure);
}

}  // namespace

MixedTrees mix_with_trees(const TrainingSet& set, const std::vector<double>& weights,
                          const LearnWeights& learn, const LearnerOptions& options,
                          const MixingOptions& mixing, Executor& executor,
                          const Progress& progress) {
    const std::vector<HeldOutPart> parts = held_out_parts(set, options, mixing.parts);
    const std::size_t fits = (parts.size() > 1 ? parts.size() : 0) + 1;
    ProgressGate gate(progress, "trees beside weights", "trees",
                      (fits + (options.validation != nullptr ? 1 : 0)) * kTrees.back());
    Gains gains;
    if (options.validation != nullptr) {
        add_gains(set, *options.validation, weights, options, executor, gate, gains);
    }
    for (std::size_t p = 0; p < parts.size() && parts.size() > 1; ++p) {
        const TrainingSet inside = subset(set, parts[p].inside);
        add_gains(inside, subset(set, parts[p].outside), learn(inside), options, executor, gate,
                  gains);
    }
    const Choice choice = choose(gains, mixing.errors);
    MixedTrees result{LinearFunction{weights}, 0, in_words(choice, gains[0].size(), options)};
    if (choice.number == kChoices) return result;
    Mixing whole(set, weights, options, executor);
    while (result.trees < kTrees[choice.number / kShares.size()] && whole.grow()) {
        ++result.trees;
        gate.step("");
    }
    if (result.trees == 0) return result;
    ForestFunction forest = whole.forest();
    const auto count = static_cast<double>(result.trees);
    const double factor = kShares[choice.number % kShares.size()] * whole.unit() * count;
    for (TreeNode& node : forest.nodes) node.value *= factor;
    forest.weights.assign(result.trees, 1 / count);
    forest.linear = weights;
    forest.standardised = true;
    result.function = std::move(forest);
    return result;
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
    inner.validation = options.validation;
    LearnerOptions of_trees = inner;
    inner.validation = nullptr;
    MixedTrees mixed =
        mix_with_trees(set, *fixed_weights(result.function), learn, of_trees,
                       {.parts = static_cast<std::size_t>(options.parameters.at("parts")),
                        .errors = options.parameters.at("errors")},
                       executor, progress);
    result.function = std::move(mixed.function);
    result.iterations += mixed.trees;
    set_measured(set, options, executor, result);
    result.stop_reason = mixed.reason;
    result.warnings.clear();
    return result;
}

}  // namespace

LearnerInfo mixed_info() {
    return {.name = "mixed",
            .summary = "listnet's weights, and trees beside them where held-out queries gain",
            .source = "",
            .parameters = {{"parts", 5, 2, 1000, "in which queries are held out", kWhole},
                           {"errors", 1, 0, 10,
                            "standard errors by which the gain of trees must exceed 0"}},
            .forms = {"linear", "signed-linear", "forest"},
            .may_weigh_negatively = true,
            .holds_back = true,
            .fit = fit};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/core/learn/solvers/regression_tree.h"

// Equations are those of docs/algorithms/regression.md.

namespace braid {
namespace {

std::vector<double> targets_of(const TrainingSet& set) {
    std::vector<double> targets;
    for (const Grade grade : set.grades) targets.push_back(std::max<Grade>(grade, 0));
    return targets;
}

TreeOptions tree_options(const LearnerOptions& options) {
    return {.depth = static_cast<std::size_t>(options.parameters.at("depth")),
            .leaf = options.parameters.at("leaf")};
}

// Another forest's trees, behind this one's.
void append(const ForestFunction& trees, ForestFunction& forest) {
    const auto shift = static_cast<std::uint32_t>(forest.nodes.size());
    for (TreeNode node : trees.nodes) {
        if (node.below != 0) {
            node.below += shift;
            node.above += shift;
        }
        forest.nodes.push_back(node);
    }
    for (const std::uint32_t root : trees.roots) forest.roots.push_back(root + shift);
    forest.weights.insert(forest.weights.end(), trees.weights.begin(), trees.weights.end());
}

TrainingResult result_of(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                         ForestFunction forest, const std::string& reason) {
    double error = 0;
    const std::vector<double> targets = targets_of(set);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const double step = targets[i] - forest_score(forest, set.row(i));
        error += step * step / static_cast<double>(targets.size());
    }
    TrainingResult result;
    result.iterations = forest.roots.size();
    result.function = std::move(forest);
    result.objective_name = "-squared error";
    result.objective = -error;
    result.stop_reason = reason;
    result.curve = {{result.iterations, -error, {}}};
    add_validation(options, executor, result);
    return result;
}

TrainingResult fit_bagging(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const auto count = static_cast<std::size_t>(options.parameters.at("trees"));
    const std::vector<double> targets = targets_of(set);
    const TreeGrower grower(set.scores, set.width());
    ProgressGate gate(progress, "training bagging-reg", "trees", count);
    std::vector<ForestFunction> trees(count);
    executor.run(count, [&](std::size_t t) {
        Random random(options.seed, t);
        std::vector<double> weights(targets.size(), 0);
        for (std::size_t i = 0; i < weights.size(); ++i) ++weights[random.below(weights.size())];
        grower.grow(targets, weights, tree_options(options), trees[t]);
        gate.step("");
    });
    ForestFunction forest;
    forest.rankers = set.width();
    for (const ForestFunction& tree : trees) append(tree, forest);
    forest.weights.assign(count, 1 / static_cast<double>(count));
    return result_of(set, options, executor, std::move(forest), "all trees grown");
}

TrainingResult fit_adaboost(const TrainingSet& set, const LearnerOptions& options,
                            Executor& executor, const Progress& progress) {
    const auto count = static_cast<std::size_t>(options.parameters.at("trees"));
    const std::vector<double> targets = targets_of(set);
    const auto rows = static_cast<double>(targets.size());
    const TreeGrower grower(set.scores, set.width());
    ProgressGate gate(progress, "training adaboost-reg", "trees", count);
    ForestFunction forest;
    forest.rankers = set.width();
    forest.combination = ForestFunction::Combination::kMedian;
    std::vector<double> weights(targets.size(), 1);  // Of sum `rows`, as leaves count them.
    std::vector<double> losses(targets.size());
    std::string reason = "all trees grown";
    for (std::size_t t = 0; t < count; ++t) {
        ForestFunction tree;
        grower.grow(targets, weights, tree_options(options), tree);
        tree.weights = {1};
        double largest = 0;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            losses[i] = std::abs(targets[i] - forest_score(tree, set.row(i)));
            largest = std::max(largest, losses[i]);
        }
        double mean = 0;  // (2)
        for (std::size_t i = 0; i < losses.size(); ++i) {
            losses[i] = largest > 0 ? losses[i] / largest : 0;
            mean += weights[i] / rows * losses[i];
        }
        if (mean >= 0.5 && t > 0) {
            reason = "a tree errs by half or more";
            break;
        }
        // A tree without fault would count infinitely much, the first one against half nothing.
        const double beta = std::clamp(mean / (1 - mean), 1e-9, 1 - 1e-9);
        tree.weights = {std::log(1 / beta)};
        append(tree, forest);
        gate.step(fmt::format("loss {:.4f}", mean));
        if (mean == 0) {
            reason = "a tree without fault";
            break;
        }
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] *= std::pow(beta, 1 - losses[i]);  // (3)
            sum += weights[i];
        }
        for (double& weight : weights) weight *= rows / sum;
    }
    scale_to_sum_one(forest.weights);
    return result_of(set, options, executor, std::move(forest), reason);
}

std::vector<ParameterInfo> tree_parameters(double trees, double depth) {
    return {{"trees", trees, 1, 1e5, "most trees", kWhole},
            {"depth", depth, 1, 64, "greatest depth of a tree", kWhole},
            {"leaf", 5, 1, 1e9, "fewest rows of a leaf, counted by weight"}};
}

}  // namespace

LearnerMethod bagging_reg_method() {
    return {.parameters = tree_parameters(100, 8),
            .forms = {"forest"},
            .normaliser = "z-score",
            .fit = fit_bagging};
}

LearnerMethod adaboost_reg_method() {
    return {.parameters = tree_parameters(100, 4),
            .forms = {"forest"},
            .normaliser = "z-score",
            .fit = fit_adaboost};
}

}  // namespace braid

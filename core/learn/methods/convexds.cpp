// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/quadratic_program.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/regression.md.

namespace braid {
namespace {

// Means over queries of means over documents, of scores and labels less their query's mean.
struct Moments {
    std::vector<double> products;  // F' F
    std::vector<double> labels;    // F' y
    double square = 0;             // y' y
};

void add_query(const TrainingSet& set, std::size_t query, Grade relevant_from, double weight,
               Moments& moments) {
    const std::size_t width = set.width();
    const std::span<const Grade> grades = set.query_grades(query);
    const auto count = static_cast<double>(grades.size());
    std::vector<double> means(width, 0);
    double label_mean = 0;
    for (std::size_t d = 0; d < grades.size(); ++d) {
        const std::span<const double> row = set.row(set.query_begin[query] + d);
        for (std::size_t k = 0; k < width; ++k) means[k] += row[k] / count;
        label_mean += (grades[d] >= relevant_from ? 1 : 0) / count;
    }
    std::vector<double> x(width);
    for (std::size_t d = 0; d < grades.size(); ++d) {
        const std::span<const double> row = set.row(set.query_begin[query] + d);
        for (std::size_t k = 0; k < width; ++k) x[k] = row[k] - means[k];
        const double y = (grades[d] >= relevant_from ? 1 : 0) - label_mean;
        const double share = weight / count;
        for (std::size_t a = 0; a < width; ++a) {
            for (std::size_t b = 0; b < width; ++b) {
                moments.products[a * width + b] += share * x[a] * x[b];
            }
            moments.labels[a] += share * x[a] * y;
        }
        moments.square += share * y * y;
    }
}

TrainingResult fit_convexds(const TrainingSet& set, const LearnerOptions& options, Executor&,
                            const Progress& progress) {
    const std::size_t width = set.width();
    const double gamma = options.parameters.at("gamma");
    Moments moments{std::vector<double>(width * width, 0), std::vector<double>(width, 0)};
    const std::size_t useful = training_counts(set, options.judging.relevant_from).useful_queries;
    ProgressGate gate(progress, "training convexds", "queries", useful);
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (!is_useful(set, q, options.judging.relevant_from)) continue;
        add_query(set, q, options.judging.relevant_from, 1 / static_cast<double>(useful), moments);
        gate.step("");
    }
    std::vector<double> quadratic = moments.products;  // (5)
    std::vector<double> linear(width);
    for (double& part : quadratic) part *= 2 * (1 + gamma);
    double largest = 0;
    for (std::size_t k = 0; k < width; ++k) {
        linear[k] = 2 * moments.labels[k] + gamma * moments.products[k * width + k];
        largest = std::max(largest, linear[k]);
    }
    const double lambda = options.parameters.at("lambda") * largest;
    for (double& part : linear) part -= lambda;
    const NonnegativeSolution solution = solve_nonnegative(quadratic, linear);
    double value = moments.square;
    for (std::size_t a = 0; a < width; ++a) {
        value -= linear[a] * solution.values[a];
        for (std::size_t b = 0; b < width; ++b) {
            value += solution.values[a] * quadratic[a * width + b] * solution.values[b] / 2;
        }
    }
    FitMonitor monitor(options, 0);
    monitor.record(-value, solution.values);
    TrainingResult result = monitor.result("-squared error + diversity",
                                           solution.violation <= 1e-8 ? "converged" : "pass limit");
    result.iterations = solution.passes;
    return result;
}

}  // namespace

LearnerMethod convexds_method() {
    return {
        .parameters = {{"gamma", 0.1, 0, 100, "weight of diversity"},
                       {"lambda", 0.01, 0, 1, "sparsity, as a share of what makes all weights 0"}},
        .grades = GradeUse::kRelevance,
        .fit = fit_convexds};
}

}  // namespace braid

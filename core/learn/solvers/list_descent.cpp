// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/list_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/core/base/vector_sums.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/solvers/quasi_newton.h"

namespace braid {
namespace {

// Where a ranker tells nothing apart its gradient is rounding, which must not become steps.
constexpr double kLeastRoot = 1e-8;
// Of the weights' sum, which diversity divides by.
constexpr double kLeastSum = 0.1;
// A step towards the optimum gains less of what is left than a pass of AdaGrad.
constexpr double kCloser = 0.01;

// Algorithm 1, lines 4 to 9: diversity divides by the sum of weights.
void disturb(std::vector<double>& weights, Random& random) {
    while (sums_to_nothing(weights)) {
        for (double& weight : weights) weight += 1e-3 * random.normal();
    }
}

// Distances from zero: uniform weights of the scale that scores ask for are not known.
double penalty(std::span<const double> weights, double l2) {
    return l2 / 2 * dot(weights, weights);
}

}  // namespace

void AdaGrad::step(std::span<double> values, std::span<const double> gradient) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        squares_[i] += gradient[i] * gradient[i];
        values[i] -= rate_ * gradient[i] / (std::sqrt(squares_[i]) + kLeastRoot);
    }
}

std::string descend(const ListObjective& objective, const DescentOptions& options,
                    const std::function<void(std::size_t i, const ListObjective::Query&)>& learn,
                    const std::function<double()>& mean,
                    const std::function<bool(double)>& record) {
    Random random(options.seed);
    std::vector<std::size_t> order(objective.queries().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double before = mean();
    if (!record(before)) return "no better on the validation part";
    for (std::size_t pass = 0; pass < options.passes; ++pass) {
        random.shuffle(order);
        for (const std::size_t i : order) {
            if (objective.options().sample == 0) {
                learn(i, objective.whole(i));
            } else {
                learn(i, objective.sampled(i, random));
            }
        }
        const double after = mean();
        if (!record(after)) return "no better on the validation part";
        if (std::abs(before - after) <= options.tolerance * std::abs(before)) return "converged";
        before = after;
    }
    return "iteration limit";
}

namespace {

using WeightsRecord = std::function<bool(double, const std::vector<double>&)>;

// (9) has poles where weights sum to 0: a tenth of the first sum is as near as one gets.
std::string fixed_optimum(const ListObjective& objective, const DescentOptions& options, double l2,
                          const WeightsRecord& record) {
    const bool has_diversity = objective.options().diversity > 0;
    const SmoothFunction function = [&](std::span<const double> weights,
                                        std::span<double> gradient) {
        double sum = 0;
        for (const double weight : weights) sum += weight;
        if (has_diversity && sum < kLeastSum) return std::numeric_limits<double>::infinity();
        const double mean = objective.mean(weights, gradient);
        add_multiple(l2, weights, gradient);
        return mean + penalty(weights, l2);
    };
    const QuasiNewtonOptions how = {.iterations = options.passes,
                                    .tolerance = kCloser * options.tolerance,
                                    .non_negative = options.non_negative};
    return minimise_quasi_newton(function, uniform_weights(objective.set().width()), how, record);
}

std::string fixed_by_steps(const ListObjective& objective, const DescentOptions& options, double l2,
                           const WeightsRecord& record) {
    std::vector<double> weights = uniform_weights(objective.set().width());
    std::vector<double> gradient(weights.size());
    AdaGrad steps(weights.size(), options.rate);
    Random random(options.seed, 1);
    const bool has_diversity = objective.options().diversity > 0;
    return descend(
        objective, options,
        [&](std::size_t, const ListObjective::Query& query) {
            if (has_diversity) disturb(weights, random);
            objective.value(query, weights, gradient);
            for (std::size_t k = 0; k < weights.size(); ++k) gradient[k] += l2 * weights[k];
            steps.step(weights, gradient);
            if (!options.non_negative) return;
            for (double& weight : weights) weight = std::max(weight, 0.0);
        },
        [&] {
            if (has_diversity) disturb(weights, random);
            return objective.mean(weights) + penalty(weights, l2);
        },
        [&](double value) { return record(value, weights); });
}

}  // namespace

std::string descend_fixed(const ListObjective& objective, const DescentOptions& options, double l2,
                          const WeightsRecord& record) {
    return options.by_steps ? fixed_by_steps(objective, options, l2, record)
                            : fixed_optimum(objective, options, l2, record);
}

std::vector<ParameterInfo> descent_parameters() {
    return {{"passes", 300, 1, 1e6, "most steps, or passes through the queries", kWhole},
            {"rate", 0.1, 1e-9, 1e3, "AdaGrad's first step, tau"},
            {"tolerance", 1e-5, 0, 1,
             "stop after a pass that changes less of the objective, or a step that lowers it by "
             "less than a hundredth of this"}};
}

ChoiceInfo solver_choice() {
    return {"solver",
            "optimum",
            {"optimum", "steps"},
            "solver of fixed weights: to the optimum, or AdaGrad as in the paper"};
}

DescentOptions descent_options(const LearnerOptions& options) {
    return {.passes = static_cast<std::size_t>(options.parameters.at("passes")),
            .rate = options.parameters.at("rate"),
            .tolerance = options.parameters.at("tolerance"),
            .seed = options.seed,
            .by_steps = options.choices.at("solver") == "steps"};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/solvers/list_descent.h"

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
        for (const std::size_t i : order) learn(i, objective.whole(i));
        const double after = mean();
        if (!record(after)) return "no better on the validation part";
        if (std::abs(before - after) <= options.tolerance * std::abs(before)) return "converged";
        before = after;
    }
    return "iteration limit";
}

// (9) has poles where weights sum to 0: a tenth of the first sum is as near as one gets.
std::string descend_fixed(const ListObjective& objective, const DescentOptions& options, double l2,
                          const std::function<bool(double, const std::vector<double>&)>& record) {
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

std::vector<ParameterInfo> descent_parameters() {
    return {{"passes", 300, 1, 1e6, "most steps", kWhole},
            {"tolerance", 1e-5, 0, 1,
             "stop after a step that lowers the objective by less than a hundredth of this"}};
}

DescentOptions descent_options(const LearnerOptions& options) {
    return {.passes = static_cast<std::size_t>(options.parameters.at("passes")),
            .tolerance = options.parameters.at("tolerance"),
            .seed = options.seed};
}

}  // namespace braid

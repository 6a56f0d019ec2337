// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/newton.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

// A step that gains less, as a part of the barrier's weight, is the last before the next barrier:
// how far its own optimum is from that of no barrier is many times as much.
constexpr double kLeastGain = 0.01;

class BarrierAscent {
  public:
    BarrierAscent(const SmoothMeasure& measure, double l2, Executor& executor)
        : measure_(measure), l2_(l2), executor_(executor) {}

    double objective(const Weights& weights) const {
        return measure_.value(weights, executor_) - distance_penalty(weights, l2_);
    }

    // One Newton step on (6), and what it gained; 0 where there is nothing to gain.
    double step(Weights& weights, double barrier) const {
        const SmoothPoint here = point(weights, barrier);
        const Weights direction = balanced_ascent_direction(here.gradient, here.hessian);
        double promised = 0;
        double factor = 1;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            if (!std::isfinite(direction[k])) return 0;
            promised += here.gradient[k] * direction[k];
            if (direction[k] < 0) factor = std::min(factor, 0.99 * weights[k] / -direction[k]);
        }
        if (!(promised > 1e-12)) return 0;
        for (int halvings = 0; halvings < 30; ++halvings, factor /= 2) {
            Weights next = weights;
            for (std::size_t k = 0; k < next.size(); ++k) next[k] += factor * direction[k];
            const double there = with_barrier(next, barrier);
            if (there <= here.value + 1e-4 * factor * promised) continue;
            weights = next;
            return there - here.value;
        }
        return 0;
    }

  private:
    double with_barrier(const Weights& weights, double barrier) const {
        double value = objective(weights);
        for (const double weight : weights) value += barrier * std::log(weight);
        return value;
    }

    SmoothPoint point(const Weights& weights, double barrier) const {
        SmoothPoint result = measure_.with_hessian(weights, executor_);
        const std::size_t width = weights.size();
        result.value -= distance_penalty(weights, l2_);
        for (std::size_t k = 0; k < width; ++k) {
            const double weight = weights[k];
            result.value += barrier * std::log(weight);
            result.gradient[k] +=
                barrier / weight - l2_ * (weight - 1 / static_cast<double>(width));
            result.hessian[k * width + k] -= barrier / (weight * weight) + l2_;
        }
        return result;
    }

    const SmoothMeasure& measure_;
    double l2_;
    Executor& executor_;
};

constexpr double kInwards = 0.1;

// The barrier is infinite where a weight is 0, so a start goes a tenth of the way to uniform
// weights.
Weights inside(Weights start) {
    const double uniform = 1 / static_cast<double>(start.size());
    for (double& weight : start) weight += kInwards * (uniform - weight);
    return start;
}

std::size_t rounds_of(const ParameterMap& parameters) {
    const double last = parameters.at("last-barrier");
    const double first = std::max(parameters.at("barrier"), last);
    return 1 + static_cast<std::size_t>(std::ceil(std::log(first / last) / std::log(5.0)));
}

TrainingResult fit_from(Weights weights, const SmoothMeasure& measure,
                        const LearnerOptions& options, ProgressGate& gate, Executor& executor) {
    const ParameterMap& parameters = options.parameters;
    const BarrierAscent ascent(measure, parameters.at("l2"), executor);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")));
    const double last = parameters.at("last-barrier");
    double barrier = std::max(parameters.at("barrier"), last);
    const std::size_t rounds = rounds_of(parameters);
    const auto iterations = static_cast<std::size_t>(parameters.at("iterations"));
    bool is_open = monitor.record(ascent.objective(weights), weights);
    std::string reason = "converged";
    for (std::size_t round = 0; round < rounds && is_open; ++round) {
        std::size_t steps = 0;
        while (steps < iterations) {
            const double gain = ascent.step(weights, barrier);
            if (gain == 0) break;
            ++steps;
            gate.check();
            if (gain < kLeastGain * barrier) break;
        }
        reason = steps == iterations ? "iteration limit" : "converged";
        const double value = ascent.objective(weights);
        gate.step(fmt::format("{} {:.4f}", measure.name(), value));
        is_open = monitor.record(value, weights);
        barrier = std::max(barrier / 5, last);
    }
    if (!is_open) reason = "no better on the validation part";
    return monitor.result(measure.name(), reason);
}

TrainingResult fit_genm_ip(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const SmoothMeasure measure(set, smooth_options(options), options.judging);
    const std::vector<Weights> starts = chosen_starts(options, set.width());
    ProgressGate gate(progress, "training genm-ip", "barriers",
                      starts.size() * rounds_of(options.parameters));
    const bool is_uniform = options.choices.at("start") == "uniform";
    return best_fit_from(starts, set, options, executor, [&](const Weights& start) {
        return fit_from(is_uniform ? start : inside(start), measure, options, gate, executor);
    });
}

}  // namespace

LearnerMethod genm_ip_method() {
    return {
        .parameters = joined(
            {smooth_parameters(),
             {{"barrier", 0.01, 1e-12, 1e3, "first weight of the barrier, then a fifth each time"},
              {"last-barrier", 1e-7, 1e-12, 1e3, "last weight of the barrier"},
              {"iterations", 30, 1, 1e6, "Newton steps for each barrier", kWhole},
              starts_parameter(),
              l2_parameter(),
              patience_parameter()}}),
        .choices = {aim_choice(), start_choice("uniform")},
        .fit = fit_genm_ip};
}

}  // namespace braid

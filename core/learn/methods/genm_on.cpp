// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/losses/smooth_measure.h"
#include "braid/core/learn/methods/methods.h"
#include "braid/error.h"

// Equations are those of docs/algorithms/genm.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

// All that a later call goes on from.
struct Online {
    Weights weights;
    Weights squares;   // Sums of squared gradients, for AdaGrad.
    Weights average;   // Mean of the weights after each step.
    double steps = 1;  // The paper's t: 1 before the first query.

    explicit Online(const Weights& start)
        : weights(start), squares(start.size(), 0), average(start) {}

    void load(const LearnerState& state) {
        const auto vector_of = [&](const char* name) {
            const auto found = state.values.find(name);
            const std::size_t expected = weights.size();
            const std::size_t got = found == state.values.end() ? 0 : found->second.size();
            if (got != expected) {
                throw InvalidArgument(fmt::format(
                    "genm-on: the state has {} numbers \"{}\", expected {}, one a ranker", got,
                    name, expected));
            }
            for (const double value : found->second) {
                if (std::isfinite(value)) continue;
                throw InvalidArgument(
                    fmt::format("genm-on: the state's \"{}\" holds {}, expected "
                                "finite numbers",
                                name, value));
            }
            return found->second;
        };
        const auto found = state.values.find("steps");
        if (found == state.values.end() || found->second.size() != 1 ||
            !(found->second[0] >= 1 && found->second[0] < 1e15)) {
            throw InvalidArgument("genm-on: the state has no number \"steps\" from 1 up");
        }
        steps = found->second[0];
        weights = vector_of("weights");
        squares = vector_of("squares");
        average = vector_of("average");
    }

    LearnerState save() const {
        return {
            {{"weights", weights}, {"squares", squares}, {"average", average}, {"steps", {steps}}}};
    }
};

class OnlineAscent {
  public:
    OnlineAscent(const SmoothMeasure& measure, const LearnerOptions& options, const Weights& start)
        : measure_(measure),
          rate_(options.parameters.at("rate")),
          longest_(options.parameters.at("longest-step")),
          l2_(options.parameters.at("l2")),
          is_adagrad_(options.choices.at("steps") == "adagrad"),
          is_averaged_(options.choices.at("weights") == "averaged"),
          online_(start) {
        if (options.state) online_.load(*options.state);
    }

    void learn(std::size_t query) {
        const SmoothPoint point = measure_.of_query(query, online_.weights);
        const std::size_t width = online_.weights.size();
        online_.steps += 1;
        Weights rates(width);
        Weights step(width);
        for (std::size_t k = 0; k < width; ++k) {
            rates[k] = rate_of(k, point.gradient[k]);
            step[k] = rates[k] * point.gradient[k];
        }
        const double size = length(step);
        const double most = longest_ * length(online_.weights);
        const double factor = longest_ > 0 && size > most ? most / size : 1;
        for (std::size_t k = 0; k < width; ++k) {
            online_.weights[k] += factor * step[k];
            if (l2_ > 0) shrink(online_.weights[k], rates[k]);
            online_.average[k] += (online_.weights[k] - online_.average[k]) / online_.steps;
        }
    }

    const Weights& weights() const { return is_averaged_ ? online_.average : online_.weights; }
    LearnerState state() const { return online_.save(); }

  private:
    // The penalty is stiff where l2 is large, so its part of a step is implicit, as in (9).
    void shrink(double& weight, double rate) const {
        const double uniform = 1 / static_cast<double>(online_.weights.size());
        weight = uniform + (weight - uniform) / (1 + rate * l2_);
    }

    double rate_of(std::size_t k, double gradient) {  // (4), (5)
        if (!is_adagrad_) return rate_ / online_.steps;
        online_.squares[k] += gradient * gradient;
        return online_.squares[k] > 0 ? rate_ / std::sqrt(online_.squares[k]) : 0;
    }

    const SmoothMeasure& measure_;
    double rate_;
    double longest_;
    double l2_;
    bool is_adagrad_;
    bool is_averaged_;
    Online online_;
};

std::size_t count_of(const LearnerOptions& options, const char* name) {
    return static_cast<std::size_t>(options.parameters.at(name));
}

TrainingResult fit_from(const Weights& start, const SmoothMeasure& measure,
                        const LearnerOptions& options, ProgressGate& gate, Executor& executor) {
    const ParameterMap& parameters = options.parameters;
    OnlineAscent ascent(measure, options, start);
    FitMonitor monitor(options, count_of(options, "patience"));
    const std::size_t passes = count_of(options, "passes");
    const auto value = [&] {
        return measure.value(ascent.weights(), executor) -
               distance_penalty(ascent.weights(), parameters.at("l2"));
    };
    double before = value();
    bool is_open = monitor.record(before, ascent.weights());
    std::string reason = "iteration limit";
    Random random(options.seed);
    std::vector<std::size_t> order = measure.queries();
    for (std::size_t pass = 0; pass < passes && is_open; ++pass) {
        if (options.choices.at("order") == "shuffled") random.shuffle(order);
        for (const std::size_t query : order) ascent.learn(query);
        const double after = value();
        gate.step(fmt::format("{} {:.4f}", measure.name(), after));
        is_open = monitor.record(after, ascent.weights());
        if (!is_open) reason = "no better on the validation part";
        if (is_open && std::abs(after - before) <= parameters.at("tolerance")) {
            reason = "converged";
            break;
        }
        before = after;
    }
    TrainingResult result = monitor.result(measure.name(), reason);
    result.state = ascent.state();
    return result;
}

TrainingResult fit_genm_on(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress& progress) {
    const SmoothMeasure measure(set, smooth_options(options), options.judging);
    std::vector<Weights> starts = chosen_starts(options, set.width());
    if (options.state) starts.resize(1);  // It goes on from where the best one came to.
    ProgressGate gate(progress, "training genm-on", "passes",
                      starts.size() * count_of(options, "passes"));
    return best_fit_from(starts, set, options, executor, [&](const Weights& start) {
        return fit_from(start, measure, options, gate, executor);
    });
}

}  // namespace

LearnerMethod genm_on_method() {
    return {
        .parameters =
            joined({smooth_parameters(),
                    {{"passes", 50, 1, 1e6, "most passes through the queries", kWhole},
                     {"tolerance", 1e-4, 0, 1,
                      "stop after a pass that changes the objective no more than this (2017)"},
                     {"rate", 1, 1e-9, 1e9, "factor of all steps (2017: 1)"},
                     {"longest-step", 0.5, 0, 1e9,
                      "longest step, in lengths of the weight vector; 0: no limit (2017)"},
                     starts_parameter(),
                     l2_parameter(),
                     patience_parameter()}}),
        .choices = {aim_choice(),
                    start_choice("uniform"),
                    {"steps", "inverse", {"inverse", "adagrad"}, "1/t (2017), or AdaGrad"},
                    {"weights", "last", {"last", "averaged"}, "which weights are the result"},
                    {"order", "given", {"given", "shuffled"}, "order of the queries in each pass"}},
        .resumable = true,
        .fit = fit_genm_on};
}

}  // namespace braid

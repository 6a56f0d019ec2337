// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "braid/core/learn/fit_monitor.h"
#include "braid/core/learn/methods/methods.h"

// Equations are those of docs/algorithms/enm-b.md.

namespace braid {
namespace {

using Weights = std::vector<double>;

class Boosting {
  public:
    Boosting(const TrainingMeasure& measure, double longest_step, Executor& executor)
        : measure_(measure),
          longest_step_(longest_step),
          executor_(executor),
          weights_(measure.set().width(), 0),
          is_left_(weights_.size(), true) {
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            Weights alone(weights_.size(), 0);
            alone[k] = 1;
            of_ranker_.push_back(measure.values(LinearFunction{alone}, executor));
        }
        shares_.assign(measure.queries().size(), 1 / static_cast<double>(measure.queries().size()));
    }

    const Weights& weights() const { return weights_; }

    // One round; returns the mean of the ensemble after it.
    double add_ranker() {
        if (std::none_of(is_left_.begin(), is_left_.end(), [](bool left) { return left; })) {
            is_left_.assign(is_left_.size(), true);
        }
        chosen_ = best_left();
        weights_[chosen_] += step_of(chosen_);
        values_ = measure_.values(LinearFunction{weights_}, executor_);
        double mean = 0;
        for (const double value : values_) mean += value;
        return mean / static_cast<double>(values_.size());
    }

    void weigh_queries() {  // (2)
        is_left_[chosen_] = false;
        double total = 0;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            shares_[i] = std::exp(-values_[i]);
            total += shares_[i];
        }
        for (double& share : shares_) share /= total;
    }

  private:
    double edge(std::size_t ranker) const {
        double sum = 0;
        for (std::size_t i = 0; i < shares_.size(); ++i) sum += shares_[i] * of_ranker_[ranker][i];
        return sum;
    }

    std::size_t best_left() const {  // (4)
        std::size_t best = is_left_.size();
        double best_edge = -1;
        for (std::size_t k = 0; k < is_left_.size(); ++k) {
            if (!is_left_[k] || edge(k) <= best_edge) continue;
            best = k;
            best_edge = edge(k);
        }
        return best;
    }

    double step_of(std::size_t ranker) const {  // (3)
        const double value = edge(ranker);
        const double step = 0.5 * std::log((1 + value) / (1 - value));
        return value < 1 ? std::min(step, longest_step_) : longest_step_;
    }

    const TrainingMeasure& measure_;
    double longest_step_;
    Executor& executor_;
    Weights weights_;
    std::vector<bool> is_left_;
    std::vector<std::vector<double>> of_ranker_;
    std::vector<double> shares_;
    std::vector<double> values_;
    std::size_t chosen_ = 0;
};

TrainingResult fit_enm_b(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                         const Progress& progress) {
    const ParameterMap& parameters = options.parameters;
    const auto rounds = static_cast<std::size_t>(parameters.at("rounds"));
    const TrainingMeasure measure(set, options.measure, options.judging);
    FitMonitor monitor(options, static_cast<std::size_t>(parameters.at("patience")));
    ProgressGate gate(progress, "training enm-b", "rounds", rounds);
    Boosting boosting(measure, parameters.at("longest-step"), executor);
    std::string reason = "iteration limit";
    double before = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
        const double mean = boosting.add_ranker();
        gate.step(fmt::format("{} {:.4f}", options.measure, mean));
        if (!monitor.record(mean, boosting.weights())) {
            reason = "no better on the validation part";
            break;
        }
        if (std::abs(mean - before) <= parameters.at("tolerance")) {
            reason = "converged";
            break;
        }
        before = mean;
        boosting.weigh_queries();
    }
    TrainingResult result = monitor.result(measure.measure().name(), reason);
    result.iterations = result.curve.size();
    return result;
}

TrainingResult fit_uniform(const TrainingSet& set, const LearnerOptions& options,
                           Executor& executor, const Progress&) {
    TrainingResult result;
    result.function = LinearFunction{uniform_weights(set.width())};
    set_measured(set, options, executor, result);
    result.stop_reason = "nothing to learn";
    return result;
}

}  // namespace

LearnerMethod uniform_method() {
    return {.needs_judgements = false, .grades = GradeUse::kNone, .fit = fit_uniform};
}

LearnerMethod enm_b_method() {
    return {.parameters = {{"rounds", 1000, 1, 1e6, "rounds at most", kWhole},
                           {"tolerance", 1e-4, 0, 1,
                            "stop after a round that changes the measure no more than this"},
                           longest_step_parameter("ranker"),
                           patience_parameter()},
            .grades = GradeUse::kByMeasure,
            .aims_at_measure = true,
            .fit = fit_enm_b};
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/fit_monitor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "braid/error.h"

namespace braid {

std::vector<double> uniform_weights(std::size_t count) {
    return std::vector<double>(count, 1 / static_cast<double>(count));
}

std::vector<double> anchor_weights(const LearnerOptions& options, std::size_t count) {
    return options.anchor.empty() ? uniform_weights(count) : options.anchor;
}

std::vector<double> servable(std::vector<double> weights) {
    double largest = 0;
    for (double& weight : weights) {
        weight = std::max(weight, 0.0);
        largest = std::max(largest, weight);
    }
    if (largest == 0) return uniform_weights(weights.size());
    for (double& weight : weights) weight /= largest;
    scale_to_sum_one(weights);
    return weights;
}

std::vector<double> served(std::vector<double> weights, WeightSigns signs) {
    if (signs == WeightSigns::kNonNegative) return servable(std::move(weights));
    double largest = 0;
    for (const double weight : weights) largest = std::max(largest, std::abs(weight));
    if (largest == 0) return uniform_weights(weights.size());
    for (double& weight : weights) weight /= largest;
    scale_to_sum_one(weights);
    return weights;
}

ChoiceInfo weights_choice() {
    return {
        "weights",
        "any",
        {"any", "non-negative"},
        "whether weights may be negative; only models without negative weights rank in one pass"};
}

WeightSigns signs_of(const ChoiceMap& choices) {
    return choices.at("weights") == "any" ? WeightSigns::kAny : WeightSigns::kNonNegative;
}

double distance_penalty(const std::vector<double>& weights, double strength) {
    double sum = 0;
    for (const double weight : weights) {
        const double step = weight - 1 / static_cast<double>(weights.size());
        sum += step * step;
    }
    return strength / 2 * sum;
}

ParameterInfo l2_parameter() {
    return {"l2", 0, 0, 1e6, "strength of the pull to uniform weights"};
}

ParameterInfo patience_parameter() {
    return {"patience",
            0,
            0,
            1e6,
            "stop after this many steps without a new best on the validation part; 0: never",
            kWhole};
}

ParameterInfo longest_step_parameter(const std::string& what) {
    return {"longest-step", 10, 1e-3, 1e6,
            "step for a faultless " + what + ", which would be infinite"};
}

std::vector<ParameterInfo> joined(std::initializer_list<std::vector<ParameterInfo>> lists) {
    std::vector<ParameterInfo> result;
    for (const std::vector<ParameterInfo>& list : lists) {
        result.insert(result.end(), list.begin(), list.end());
    }
    return result;
}

ProgressGate::ProgressGate(const Progress& progress, std::string phase, std::string unit,
                           std::size_t total)
    : progress_(progress) {
    report_.phase = std::move(phase);
    report_.unit = std::move(unit);
    report_.total = total;
}

void ProgressGate::step(const std::string& detail) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++report_.done;
    report_.detail = detail;
    report();
}

void ProgressGate::check() {
    const std::lock_guard<std::mutex> lock(mutex_);
    report();
}

void ProgressGate::report() {
    if (!cancelled_ && progress_ && !progress_(report_)) cancelled_ = true;
    if (cancelled_) throw Cancelled(report_.phase + " was stopped");
}

void add_validation(const LearnerOptions& options, Executor& executor, TrainingResult& result) {
    if (options.validation == nullptr) return;
    const TrainingMeasure measure(*options.validation, options.measure, options.judging);
    result.curve.back().validation = measure.mean(result.function, executor);
}

void set_measured(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                  TrainingResult& result) {
    const TrainingMeasure measure(set, options.measure, options.judging);
    result.objective_name = measure.measure().name();
    result.objective = measure.mean(result.function, executor);
    result.curve = {{result.iterations, result.objective}};
    add_validation(options, executor, result);
}

FitMonitor::FitMonitor(const LearnerOptions& options, std::size_t patience, WeightSigns signs)
    : steps_(options, patience), signs_(signs) {}

bool FitMonitor::record(double objective, const std::vector<double>& weights) {
    double scale = 0;
    for (const double weight : weights) {
        scale += signs_ == WeightSigns::kAny ? std::abs(weight) : std::max(weight, 0.0);
    }
    return steps_.record(objective, LinearFunction{served(weights, signs_)}, scale > 0 ? scale : 1);
}

TrainingResult FitMonitor::result(std::string objective_name, std::string stop_reason) const {
    return steps_.result(std::move(objective_name), std::move(stop_reason));
}

void BestOfStarts::take(std::vector<double> weights, TrainingResult result, double worth) {
    starts_.push_back({std::move(weights), result.curve});
    if (starts_.size() > 1 && worth <= worth_) return;
    best_ = std::move(result);
    worth_ = worth;
}

TrainingResult BestOfStarts::best() && {
    if (starts_.size() > 1) best_.starts = std::move(starts_);
    return std::move(best_);
}

bool KeepBest::take(std::optional<double> validation) {
    if (!validation) return true;
    const bool is_best = *validation > best_;
    since_best_ = is_best ? 0 : since_best_ + 1;
    if (is_best) best_ = *validation;
    return is_best;
}

bool KeepBest::record(CurvePoint point, TrainingResult& result) {
    if (take(point.validation)) {
        kept_ = point.iteration;
        result.objective = point.objective;
    }
    result.curve.push_back(std::move(point));
    if (!goes_on()) result.stop_reason = "no better on the validation part";
    return goes_on();
}

FunctionMonitor::FunctionMonitor(const LearnerOptions& options, std::size_t patience)
    : watch_(options), best_(patience) {
    if (options.validation == nullptr) return;
    validation_.emplace(*options.validation, options.measure, options.judging);
}

bool FunctionMonitor::record(double objective, RankingFunction function, double scale) {
    CurvePoint point{curve_.size(), objective, {}, watch_.measure(function)};
    if (validation_) point.validation = validation_->mean(function);
    if (best_.take(point.validation)) {
        kept_ = std::move(function);
        kept_scale_ = scale;
        objective_ = objective;
    }
    curve_.push_back(point);
    return best_.goes_on();
}

TrainingResult FunctionMonitor::result(std::string objective_name, std::string stop_reason) const {
    TrainingResult result;
    result.function = kept_;
    result.scale = kept_scale_;
    result.objective_name = std::move(objective_name);
    result.objective = objective_;
    result.iterations = curve_.empty() ? 0 : curve_.size() - 1;
    result.stop_reason = std::move(stop_reason);
    result.curve = curve_;
    return result;
}

}  // namespace braid

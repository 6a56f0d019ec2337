// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/fitting/fit_monitor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "braid/core/error.h"

namespace braid {

std::vector<double> uniform_weights(std::size_t count) {
    return std::vector<double>(count, 1 / static_cast<double>(count));
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
    return {"weights",
            "any",
            {"any", "non-negative"},
            "whether weights may be negative; only models without such are served in one pass"};
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
    return {"l2", 0, 0, 1e6, "strength of the pull towards uniform weights"};
}

ParameterInfo patience_parameter() {
    return {"patience",
            0,
            0,
            1e6,
            "steps without a new best on the validation part that end the fit; 0: none do",
            kWhole};
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

FitMonitor::FitMonitor(const LearnerOptions& options, std::size_t patience, WeightSigns signs)
    : watch_(options), patience_(patience), signs_(signs) {
    if (options.validation == nullptr) return;
    validation_ =
        std::make_unique<TrainingMeasure>(*options.validation, options.measure, options.judging);
}

bool FitMonitor::record(double objective, const std::vector<double>& weights) {
    const std::vector<double> kept = served(weights, signs_);
    CurvePoint point{curve_.size(), objective, {}, watch_.measure(LinearFunction{kept})};
    bool is_kept = true;
    if (validation_ != nullptr) {
        point.validation = validation_->mean(LinearFunction{kept});
        is_kept = *point.validation > kept_validation_;
        since_best_ = is_kept ? 0 : since_best_ + 1;
        kept_validation_ = std::max(kept_validation_, *point.validation);
    }
    if (is_kept) {
        kept_ = kept;
        kept_objective_ = objective;
    }
    curve_.push_back(point);
    return patience_ == 0 || since_best_ < patience_;
}

TrainingResult FitMonitor::result(std::string objective_name, std::string stop_reason) const {
    TrainingResult result;
    result.function = LinearFunction{kept_};
    result.objective_name = std::move(objective_name);
    result.objective = kept_objective_;
    result.iterations = curve_.size() - 1;
    result.stop_reason = std::move(stop_reason);
    result.curve = curve_;
    return result;
}

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/function_monitor.h"

#include <utility>

namespace braid {

bool KeepBest::take(std::optional<double> validation) {
    if (!validation) return true;
    const bool is_best = *validation > best_;
    since_best_ = is_best ? 0 : since_best_ + 1;
    if (is_best) best_ = *validation;
    return is_best;
}

FunctionMonitor::FunctionMonitor(const LearnerOptions& options, std::size_t patience)
    : watch_(options), best_(patience) {
    if (options.validation == nullptr) return;
    validation_.emplace(*options.validation, options.measure, options.judging);
}

bool FunctionMonitor::record(double objective, RankingFunction function) {
    CurvePoint point{curve_.size(), objective, {}, watch_.measure(function)};
    if (validation_) point.validation = validation_->mean(function);
    if (best_.take(point.validation)) {
        kept_ = std::move(function);
        objective_ = objective;
    }
    curve_.push_back(point);
    return best_.goes_on();
}

TrainingResult FunctionMonitor::result(std::string objective_name, std::string stop_reason) const {
    TrainingResult result;
    result.function = kept_;
    result.objective_name = std::move(objective_name);
    result.objective = objective_;
    result.iterations = curve_.empty() ? 0 : curve_.size() - 1;
    result.stop_reason = std::move(stop_reason);
    result.curve = curve_;
    return result;
}

}  // namespace braid

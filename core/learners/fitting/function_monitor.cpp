// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learners/fitting/function_monitor.h"

#include <utility>

namespace braid {

FunctionMonitor::FunctionMonitor(const LearnerOptions& options, std::size_t patience)
    : watch_(options), patience_(patience) {
    if (options.validation == nullptr) return;
    validation_.emplace(*options.validation, options.measure, options.judging);
}

bool FunctionMonitor::record(double objective, RankingFunction function) {
    CurvePoint point{curve_.size(), objective, {}, watch_.measure(function)};
    bool is_kept = true;
    if (validation_) {
        point.validation = validation_->mean(function);
        is_kept = curve_.empty() || *point.validation > best_;
        since_best_ = is_kept ? 0 : since_best_ + 1;
        if (is_kept) best_ = *point.validation;
    }
    if (is_kept) {
        kept_ = std::move(function);
        objective_ = objective;
    }
    curve_.push_back(point);
    return patience_ == 0 || since_best_ < patience_;
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

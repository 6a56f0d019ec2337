// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What iterative learners share; not installed.

#include <cstddef>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "braid/core/learn/function_monitor.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

/// Negative weights become 0, the rest is scaled to sum 1; uniform where nothing is left.
std::vector<double> servable(std::vector<double> weights);

/// What signs a learner's weights may have in a model that is served.
enum class WeightSigns { kNonNegative, kAny };

/// `servable` where weights may not be negative; otherwise scaled to magnitudes that sum to 1,
/// and uniform where all are 0.
std::vector<double> served(std::vector<double> weights, WeightSigns signs);

/// The choice "weights" of learners that find negative weights unless told otherwise, and what a
/// caller made of it.
inline constexpr const char* kNonNegativeWeights = "weights=non-negative";
ChoiceInfo weights_choice();
WeightSigns signs_of(const ChoiceMap& choices);

std::vector<double> uniform_weights(std::size_t count);

/// options.anchor; uniform weights where that is empty.
std::vector<double> anchor_weights(const LearnerOptions& options, std::size_t count);

/// 1/2 strength |w - 1/K|^2, which learners subtract from what they maximise.
double distance_penalty(const std::vector<double>& weights, double strength);

/// The parameters "l2" and "patience".
ParameterInfo l2_parameter();
ParameterInfo patience_parameter();

/// Progress for work in several threads. Throws Cancelled where the callback says so.
class ProgressGate {
  public:
    ProgressGate(const Progress& progress, std::string phase, std::string unit, std::size_t total);

    void step(const std::string& detail);

    /// The same within a step, which a step of much work calls now and then.
    void check();

  private:
    void report();

    const Progress& progress_;
    std::mutex mutex_;
    ProgressReport report_;
    bool cancelled_ = false;
};

/// Puts the measure of the result on the validation set, if there is one, at the curve's end.
void add_validation(const LearnerOptions& options, Executor& executor, TrainingResult& result);

/// FunctionMonitor of weights, which it keeps as they would be served.
class FitMonitor {
  public:
    FitMonitor(const LearnerOptions& options, std::size_t patience,
               WeightSigns signs = WeightSigns::kNonNegative);

    /// Takes raw weights. False: stop here.
    bool record(double objective, const std::vector<double>& weights);

    const std::vector<double>& kept() const {
        return std::get<LinearFunction>(steps_.kept()).weights;
    }
    double kept_objective() const { return steps_.kept_objective(); }
    double kept_validation() const { return steps_.kept_validation(); }
    const std::vector<CurvePoint>& curve() const { return steps_.curve(); }

    /// A result with function, objective and curve filled in.
    TrainingResult result(std::string objective_name, std::string stop_reason) const;

  private:
    FunctionMonitor steps_;
    WeightSigns signs_;
};

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <initializer_list>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

// Shared by the monitors of iterative learners.

/// Measures LearnerOptions::watched, on which a learner's steps otherwise have no effect.
class CurveWatch {
  public:
    explicit CurveWatch(const LearnerOptions& options) {
        for (const TrainingSet* set : options.watched) {
            measures_.emplace_back(*set, options.measure, options.judging);
        }
    }

    /// Whether no set is watched; `measure` then returns an empty list.
    bool is_idle() const { return measures_.empty(); }

    /// One mean a set, over the queries whose measure can be positive.
    std::vector<double> measure(const RankingFunction& function) const {
        std::vector<double> means;
        for (const TrainingMeasure& measure : measures_) means.push_back(measure.mean(function));
        return means;
    }

  private:
    std::list<TrainingMeasure> measures_;
};

// How iterative learners record their steps.

/// Chooses the result among steps: with a validation set the one best there, otherwise the last.
class KeepBest {
  public:
    /// `patience` steps without a new best on the validation set end the fit; 0: no limit.
    explicit KeepBest(std::size_t patience) : patience_(patience) {}

    /// Whether the step is the result so far; `validation` is its measure on the validation set, if
    /// there is one.
    bool take(std::optional<double> validation);
    bool goes_on() const { return patience_ == 0 || since_best_ < patience_; }

    /// Takes the step and appends it to the curve of `result`, which gets the objective of the step
    /// to keep. Returns whether to go on; if not, the stop reason says why.
    bool record(CurvePoint point, TrainingResult& result);
    /// CurvePoint::iteration of the recorded step to keep.
    std::size_t kept() const { return kept_; }

    /// Best measure on the validation set; -1 without one.
    double best() const { return best_; }

  private:
    std::size_t patience_;
    std::size_t since_best_ = 0;
    std::size_t kept_ = 0;
    double best_ = -1;
};

/// Keeps the best result of several starts, with the curves of all.
class BestOfStarts {
  public:
    /// Takes the result of the fit from `weights`; the greatest `worth` wins, the first of equals.
    void take(std::vector<double> weights, TrainingResult result, double worth);
    TrainingResult best() &&;

  private:
    TrainingResult best_;
    std::vector<StartCurve> starts_;
    double worth_ = 0;
};

/// Records a sequence of functions: the learning curve and the function to keep. With a validation
/// set that is the one best there, otherwise the last.
class FunctionMonitor {
  public:
    /// Patience as KeepBest's.
    FunctionMonitor(const LearnerOptions& options, std::size_t patience);

    /// Takes the function as it would be served, and TrainingResult's scale. False: stop.
    bool record(double objective, RankingFunction function, double scale = 1);

    const RankingFunction& kept() const { return kept_; }
    double kept_objective() const { return objective_; }
    double kept_validation() const { return best_.best(); }
    const std::vector<CurvePoint>& curve() const { return curve_; }

    /// A result with function, objective and curve filled in.
    TrainingResult result(std::string objective_name, std::string stop_reason) const;

  private:
    std::optional<TrainingMeasure> validation_;
    CurveWatch watch_;
    KeepBest best_;
    double objective_ = 0;
    RankingFunction kept_;
    double kept_scale_ = 1;
    std::vector<CurvePoint> curve_;
};

// Shared by iterative learners.

/// Sets negative weights to 0 and scales the rest to sum 1; uniform if no positive weight is left.
std::vector<double> servable(std::vector<double> weights);

/// The signs that a served model's weights may have.
enum class WeightSigns { kNonNegative, kAny };

/// `servable` for kNonNegative; otherwise scaled to magnitudes that sum to 1, and uniform if all
/// are 0.
std::vector<double> served(std::vector<double> weights, WeightSigns signs);

/// The choice "weights" of learners that by default may find negative weights, and the signs that a
/// caller's choice allows.
inline constexpr const char* kNonNegativeWeights = "weights=non-negative";
ChoiceInfo weights_choice();
WeightSigns signs_of(const ChoiceMap& choices);

std::vector<double> uniform_weights(std::size_t count);

/// options.anchor; uniform weights if it is empty.
std::vector<double> anchor_weights(const LearnerOptions& options, std::size_t count);

/// 1/2 strength |w - 1/K|^2; learners subtract it from the objective they maximise.
double distance_penalty(const std::vector<double>& weights, double strength);

/// The parameters "l2" and "patience", and "longest-step" of boosting by `what` ("ranker").
ParameterInfo l2_parameter();
ParameterInfo patience_parameter();
ParameterInfo longest_step_parameter(const std::string& what);

/// The parameters of all lists, in their order.
std::vector<ParameterInfo> joined(std::initializer_list<std::vector<ParameterInfo>> lists);

/// Progress of work in several threads. Throws Cancelled if the callback asks for it.
class ProgressGate {
  public:
    ProgressGate(const Progress& progress, std::string phase, std::string unit, std::size_t total);

    void step(const std::string& detail);

    /// Likewise, without ending the step; long steps call it now and then.
    void check();

  private:
    void report();

    const Progress& progress_;
    std::mutex mutex_;
    ProgressReport report_;
    bool cancelled_ = false;
};

/// Adds the result's measure on the validation set, if there is one, to the curve's last point.
void add_validation(const LearnerOptions& options, Executor& executor, TrainingResult& result);

/// For learners without a curve of their own: the objective is the measure of the result's function
/// on `set`, and the curve one point, of result.iterations, with add_validation's.
void set_measured(const TrainingSet& set, const LearnerOptions& options, Executor& executor,
                  TrainingResult& result);

/// A FunctionMonitor for weights, kept as they would be served.
class FitMonitor {
  public:
    FitMonitor(const LearnerOptions& options, std::size_t patience,
               WeightSigns signs = WeightSigns::kNonNegative);

    /// Takes raw weights. False: stop.
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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

// What the monitors of iterative learners share.

/// The measure on LearnerOptions::watched, which is all that a step of a learner does to them.
class CurveWatch {
  public:
    explicit CurveWatch(const LearnerOptions& options) {
        for (const TrainingSet* set : options.watched) {
            measures_.emplace_back(*set, options.measure, options.judging);
        }
    }

    /// Nothing is watched: `measure` gives nothing.
    bool is_idle() const { return measures_.empty(); }

    /// One mean a set, over the queries on which something can score.
    std::vector<double> measure(const RankingFunction& function) const {
        std::vector<double> means;
        for (const TrainingMeasure& measure : measures_) means.push_back(measure.mean(function));
        return means;
    }

  private:
    std::list<TrainingMeasure> measures_;
};

// What iterative learners follow their steps with.

/// Which of a sequence of steps is the result: with a validation set the one best there, otherwise
/// the last.
class KeepBest {
  public:
    /// `patience` steps without a new best on the validation set end the fit; 0: none do.
    explicit KeepBest(std::size_t patience) : patience_(patience) {}

    /// Whether the step is the result so far; `validation` is its measure there, if there is one.
    bool take(std::optional<double> validation);
    bool goes_on() const { return patience_ == 0 || since_best_ < patience_; }

    /// On the validation set; -1 without one.
    double best() const { return best_; }

  private:
    std::size_t patience_;
    std::size_t since_best_ = 0;
    double best_ = -1;
};

/// Follows one sequence of functions: the learning curve, and which to keep. With a validation set
/// that is the one best there, otherwise the last.
class FunctionMonitor {
  public:
    /// Patience as KeepBest's.
    FunctionMonitor(const LearnerOptions& options, std::size_t patience);

    /// Takes the function as it would be served. False: stop here.
    bool record(double objective, RankingFunction function);

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
    std::vector<CurvePoint> curve_;
};

// What iterative learners share.

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

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What iterative learners share; not installed.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/fitting/curve_watch.h"
#include "braid/core/learners/learner.h"

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

/// Follows one sequence of weights: the learning curve, and which of them to keep. With a
/// validation set that is the one best there, otherwise the last.
class FitMonitor {
  public:
    /// `patience` steps without a new best on the validation set end the fit; 0: none do.
    FitMonitor(const LearnerOptions& options, std::size_t patience,
               WeightSigns signs = WeightSigns::kNonNegative);

    /// Takes raw weights and keeps them as they would be served. False: stop here.
    bool record(double objective, const std::vector<double>& weights);

    const std::vector<double>& kept() const { return kept_; }
    double kept_objective() const { return kept_objective_; }
    double kept_validation() const { return kept_validation_; }
    const std::vector<CurvePoint>& curve() const { return curve_; }

    /// A result with function, objective and curve filled in.
    TrainingResult result(std::string objective_name, std::string stop_reason) const;

  private:
    std::unique_ptr<TrainingMeasure> validation_;
    CurveWatch watch_;
    std::size_t patience_;
    WeightSigns signs_;
    std::size_t since_best_ = 0;
    std::vector<CurvePoint> curve_;
    std::vector<double> kept_;
    double kept_objective_ = 0;
    double kept_validation_ = -1;
};

}  // namespace braid

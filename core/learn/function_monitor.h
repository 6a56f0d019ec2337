// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What iterative learners follow their steps with; not installed.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/learn/curve_watch.h"
#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

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

}  // namespace braid

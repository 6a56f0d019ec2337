// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// FitMonitor for learners whose results are no fixed weights; not installed.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "braid/core/learners/data/training_measure.h"
#include "braid/core/learners/fitting/curve_watch.h"
#include "braid/core/learners/learner.h"

namespace braid {

/// Follows one sequence of functions: the learning curve, and which to keep. With a validation set
/// that is the one best there, otherwise the last.
class FunctionMonitor {
  public:
    /// `patience` steps without a new best on the validation set end the fit; 0: none do.
    FunctionMonitor(const LearnerOptions& options, std::size_t patience);

    /// Takes the function as it would be served. False: stop here.
    bool record(double objective, RankingFunction function);

    TrainingResult result(std::string objective_name, std::string stop_reason) const;

  private:
    std::optional<TrainingMeasure> validation_;
    CurveWatch watch_;
    std::size_t patience_;
    std::size_t since_best_ = 0;
    double best_ = 0;
    double objective_ = 0;
    RankingFunction kept_;
    std::vector<CurvePoint> curve_;
};

}  // namespace braid

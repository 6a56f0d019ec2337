// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// What the monitors of iterative learners share; not installed.

#include <list>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

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

}  // namespace braid

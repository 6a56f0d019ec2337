// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Not installed.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/core/learn/training_measure.h"

namespace braid {

/// Boosting of single rankers on any measure in [0, 1]; docs/algorithms/adarank.md.
LearnerInfo adarank_info();

struct AdaRankOptions {
    std::size_t rounds = 500;
    /// How often one ranker may be chosen; 0: any number of times.
    std::size_t turns = 0;
    /// A round that gains no more takes its ranker out until another gains more. -1: never, which
    /// is the paper's algorithm.
    double tolerance = 0;
    double longest_step = 10;  ///< The step for a ranker without fault, which would be infinite.
    bool reverse = false;      ///< Whether a ranker may be chosen upside down.
};

struct AdaRankRound {
    std::size_t ranker = 0;
    double step = 0;   ///< Added to the ranker's weight; negative for one taken upside down.
    double edge = 0;   ///< The chosen ranker's measure, queries weighted.
    double mean = 0;   ///< The ensemble's measure after the round.
    double bound = 0;  ///< What theorem 4 says `mean` is not below.
};

/// Runs the rounds. `record` gets each with the weights after it, and says whether to go on.
/// Returns why it stopped. The same bits at any number of threads.
BRAID_API std::string run_adarank(
    const TrainingMeasure& measure, const AdaRankOptions& options, Executor& executor,
    const std::function<bool(const AdaRankRound&, const std::vector<double>&)>& record);

}  // namespace braid

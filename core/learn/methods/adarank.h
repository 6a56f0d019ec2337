// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

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
    /// How often one ranker may be chosen; 0: no limit.
    std::size_t turns = 0;
    /// A round that gains no more than this excludes its ranker until another round gains more. -1:
    /// never, as in the paper.
    double tolerance = 0;
    double longest_step = 10;  ///< Step for a perfect ranker, which would be infinite.
    bool reverse = false;      ///< Rankers may be reversed.
};

struct AdaRankRound {
    std::size_t ranker = 0;
    double step = 0;   ///< Added to the ranker's weight; negative for a reversed one.
    double edge = 0;   ///< The chosen ranker's measure over weighted queries.
    double mean = 0;   ///< The ensemble's measure after the round.
    double bound = 0;  ///< Lower bound of `mean` by theorem 4.
};

/// Runs the rounds. Calls `record` with each round and the weights after it; it returns whether to
/// continue. Returns the stop reason. The same bits at any number of threads.
BRAID_API std::string run_adarank(
    const TrainingMeasure& measure, const AdaRankOptions& options, Executor& executor,
    const std::function<bool(const AdaRankRound&, const std::vector<double>&)>& record);

}  // namespace braid

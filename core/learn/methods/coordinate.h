// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/learn/learner.h"

namespace braid {

/// Exact line searches on the measure itself, along rankers and at random;
/// docs/algorithms/coordinate.md.
LearnerInfo coordinate_info();

/// The best weights that `coordinate` finds for each query alone: a ceiling for fixed weights and
/// the goal of query-dependent ones.
struct QueryOracle {
    std::vector<std::size_t> queries;          ///< Queries on which something can score.
    std::vector<std::vector<double>> weights;  ///< One vector a query of `queries`.
    std::vector<double> values;
    double mean = 0;
};

/// `options` as for the learner; state and validation are ignored.
BRAID_API QueryOracle find_query_oracle(const TrainingSet& set, const LearnerOptions& options,
                                        Executor& executor, const Progress& progress = {});

}  // namespace braid

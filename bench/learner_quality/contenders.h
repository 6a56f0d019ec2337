// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/progress.h"

namespace braid::bench {

/// One row of the table of learners on text collections.
struct Contender {
    std::string name;
    std::string learner = {};  ///< "": not a learner, but what the name says.
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    std::string tuned = {};  ///< A parameter that takes the values of `grid` in turn.
    std::vector<double> grid = {};
    std::size_t hold = 0;  ///< Weights are held back as so many parts of the queries say.
};

/// Every learner there is, with what stands beside learners.
const std::vector<Contender>& contenders();

std::vector<std::string> contender_names();

/// The one of that name, or with other parameters and choices: "awelv:lambda=0.1:weights=any".
/// Throws UnknownComponent for another name, InvalidArgument for a part without a value.
Contender contender_of(const std::string& name);

/// `watched`: sets that every step is measured on.
TrainingResult fit(const Contender& contender, const TrainingSet& set, double tuned,
                   Executor& executor, std::vector<const TrainingSet*> watched = {});

/// The value of the grid that is best in two folds of the training queries.
double tune(const Contender& contender, const TrainingSet& set, Executor& executor);

}  // namespace braid::bench

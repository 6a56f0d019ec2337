// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "braid/core/learn/learner.h"
#include "braid/error.h"

namespace braid {

/// Sets a parameter or choice by its name. Throws UnknownComponent for an unknown one,
/// InvalidArgument if a number is expected.
void set_option(const LearnerInfo& info, const std::string& name, const std::string& value,
                LearnerOptions& options);

/// A learner's default grid. Throws InvalidArgument for a learner without settings worth tuning.
std::vector<TunedSetting> own_grid(const LearnerInfo& info);

/// `options` with every combination of values, the last setting's changing fastest. Throws
/// InvalidArgument for a setting given twice, without values or in `options` already, and over
/// 1,000 combinations; and as resolve_options.
std::vector<LearnerOptions> all_settings(const LearnerInfo& info, const LearnerOptions& options,
                                         const std::vector<TunedSetting>& grid);

/// The columns to learn from, and why these.
struct ChosenColumns {
    std::vector<std::size_t> columns;
    std::string reason;  ///< "bm25 k1 0.8 b 0.3 in place of bm25, whose list ..."
};

/// Where job.variants are: the queries are dealt into job.tuning_parts, the best variant of the
/// other parts is compared with the ranker on each part, and the best of all takes the ranker's
/// place if the mean gain is more than two standard errors above 0.
ChosenColumns chosen_columns(const TrainingJob& job, const TrainingSet& set);

struct Tuned {
    LearnerOptions options;
    std::string reason;  ///< "c=10 of 1, 10, 100: map 0.4433, 0.4503, 0.4489 on .."
};

/// The settings with the greatest mean of options.measure, the first of equals. With a validation
/// set: measured on it, by a fit to the whole of `set`. Without: on the useful queries, split into
/// `parts`, each by a fit to the other parts. Throws as fit_learner and all_settings do, and
/// InvalidArgument for fewer than two parts or useful queries without a validation set.
Tuned tune(const std::string& learner, const TrainingSet& set, const LearnerOptions& options,
           const std::vector<TunedSetting>& grid, std::size_t parts, Executor& executor,
           const Progress& progress = {});

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/learn/learner.h"

namespace braid {

/// A parameter or choice of a learner and its values to try.
struct TunedSetting {
    std::string name;
    std::vector<std::string> values;  ///< As written by a user: "0.1", "even".
};

/// Sets a parameter or choice by its name. Throws UnknownComponent for an unknown one,
/// InvalidArgument if a number is expected.
BRAID_API void set_option(const LearnerInfo& info, const std::string& name,
                          const std::string& value, LearnerOptions& options);

/// A learner's default grid. Throws InvalidArgument for a learner without settings worth tuning.
BRAID_API std::vector<TunedSetting> own_grid(const LearnerInfo& info);

/// `options` with every combination of values, the last setting's changing fastest. Throws
/// InvalidArgument for a setting given twice, without values or in `options` already, and over
/// 1,000 combinations; and as resolve_options.
BRAID_API std::vector<LearnerOptions> all_settings(const LearnerInfo& info,
                                                   const LearnerOptions& options,
                                                   const std::vector<TunedSetting>& grid);

struct Tuned {
    LearnerOptions options;
    std::string reason;  ///< "c=10 of 1, 10, 100: map 0.4433, 0.4503, 0.4489 on .."
};

/// The settings with the greatest mean of options.measure, the first of equals. With a validation
/// set: measured on it, by a fit to the whole of `set`. Without: on the useful queries, split into
/// `parts`, each by a fit to the other parts. Throws as fit_learner and all_settings do, and
/// InvalidArgument for fewer than two parts or useful queries without a validation set.
BRAID_API Tuned tune(const std::string& learner, const TrainingSet& set,
                     const LearnerOptions& options, const std::vector<TunedSetting>& grid,
                     std::size_t parts, Executor& executor, const Progress& progress = {});

}  // namespace braid

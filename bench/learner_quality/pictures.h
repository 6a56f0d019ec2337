// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "braid/cli/report/charts.h"

namespace braid::bench {

/// Writes a picture for a file of its own. Throws Error.
void write_chart(const std::string& file, const cli::LineChart& chart);

/// A number by learner, for each place of an axis.
using LinesByLearner = std::map<std::string, std::vector<double>>;

/// MAP by training queries, an axis of logarithms; names beside the ends of the lines.
void draw_gain_per_label(const std::string& file, const std::string& collection,
                         const std::vector<std::size_t>& labels, const LinesByLearner& means);

/// Interpolated precision at recall 0, .1, .. 1, in the order of `learners`.
void draw_precision(const std::string& file, const std::string& collection,
                    const std::vector<std::string>& learners, const LinesByLearner& means);

/// MAP on the test folds after each step.
void draw_steps(const std::string& file, const std::string& collection,
                const std::vector<std::string>& learners, const LinesByLearner& means);

}  // namespace braid::bench

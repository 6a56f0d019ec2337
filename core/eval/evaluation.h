// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/eval/judged_run.h"
#include "braid/core/eval/measure.h"
#include "braid/evaluate.h"

namespace braid {

/// Evaluates every judged query that the options don't skip. Throws as make_measure.
Evaluation evaluate(const JudgedRun& run, const std::vector<std::string>& measures,
                    const EvaluationOptions& options = {});

/// The mean over evaluated queries of the interpolated precision at recall 0, 1/(n-1), .., 1,
/// where n = `points` >= 2: the highest precision at any rank with at least that recall.
std::vector<double> precision_recall_curve(const JudgedRun& run, const EvaluationOptions& options,
                                           std::size_t points);

}  // namespace braid

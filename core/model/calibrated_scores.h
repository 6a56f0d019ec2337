// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "braid/core/model/ranking_function.h"
#include "braid/error.h"
#include "braid/model.h"

namespace braid {

// Which scores a calibration is of: docs/algorithms/calibration.md (2).

/// Weights from 0 up of the rankers' bounds, whose sum a
/// query's scores are divided by before they are calibrated. Empty: scores are calibrated as they
/// are (a normaliser, features of a file).
BRAID_API std::vector<double> bound_weights(const FusionModel& model);
/// The same of a function; empty for one that is no weighted sum, with trees or without.
BRAID_API std::vector<double> bound_weights(const RankingFunction& function);
/// Whether scores can be calibrated at all: as they are, or by bound_weights.
bool can_be_calibrated(const FusionModel& model);
/// The calibration of a query whose scores are divided by `unit`, for its scores.
BRAID_API Calibration query_calibration(const Calibration& calibration, double unit);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "braid/cli/report/html.h"
#include "braid/core/learn/job/calibration.h"

namespace braid::cli {

// What `braid train` shows of a calibration: docs/algorithms/calibration.md.

nlohmann::ordered_json calibration_json(const CalibrationFindings& findings);

/// A few lines, with their figures.
std::string calibration_text(const CalibrationFindings& findings);

/// The reliability picture: the share of relevant documents over the probability.
std::string reliability_chart(const CalibrationFindings& findings);

/// The section of the training page.
void add_calibration(Html& html, const CalibrationFindings& findings);

}  // namespace braid::cli

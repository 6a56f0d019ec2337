// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/cli/report/html.h"
#include "braid/cli/report/train_report.h"

namespace braid::cli {

/// The parts of the page on training, each with its heading; nothing where there is nothing to say.
void add_systems(Html& html, const TrainReport& report);   ///< Measures, and precision by recall.
void add_weights(Html& html, const TrainReport& report);   ///< Weights, folds, learning curves.
void add_rankers(Html& html, const TrainReport& report);   ///< Distances and the map.
void add_loss(Html& html, const TrainReport& report);      ///< The loss, taken apart.
void add_adaptive(Html& html, const TrainReport& report);  ///< Weights by query.
void add_queries(Html& html, const TrainReport& report);   ///< The most changed, and all.

/// A scrolling box, for what may be wider than a screen; `label` names it to those who move
/// through the page by keys.
void begin_scroll(Html& html, const std::string& label);
void end_scroll(Html& html);

/// A chart with a caption, if there is one.
void add_chart(Html& html, const std::string& chart, const std::string& label);

}  // namespace braid::cli

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"
#include "braid/core/pool/training_set.h"

namespace braid {

/// What a query's result lists look like, without judgements: docs/algorithms/list-loss.md
/// section 4 has the formulas. A model that reads them needs the lists before it has weights: a
/// first pass.
BRAID_API const std::vector<std::string>& list_statistic_names();

/// One query's, in the order of the names; finite. O(documents rankers^2).
BRAID_API std::vector<double> list_statistics(const TrainingSet& set, std::size_t query);

/// Appends them to the set's query features. Throws InvalidArgument where it has them already.
BRAID_API void add_list_statistics(TrainingSet& set);

}  // namespace braid

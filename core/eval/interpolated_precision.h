// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "braid/core/base/export.h"
#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (16): adds one query's interpolated precision at recall 0, 1/(n-1),
/// .., 1 to the n >= 2 numbers of `sums`; nothing where no document of `relevant_from` is judged.
BRAID_API void add_interpolated_precision(const JudgedRanking& ranking, Grade relevant_from,
                                          std::span<double> sums);

}  // namespace braid

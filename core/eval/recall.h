// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (4): recall, recall@k.
std::unique_ptr<const Measure> make_recall(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (5): recall-min@k.
std::unique_ptr<const Measure> make_recall_min(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

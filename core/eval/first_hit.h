// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (6): mrr, mrr@k.
std::unique_ptr<const Measure> make_reciprocal_rank(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (7): success@k.
std::unique_ptr<const Measure> make_success(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (8): wta; `cutoff` is not used.
std::unique_ptr<const Measure> make_winner_takes_all(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

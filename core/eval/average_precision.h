// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (1): map, map@k.
std::unique_ptr<const Measure> make_average_precision(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

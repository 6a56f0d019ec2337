// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (14): bpref; `cutoff` is not used.
std::unique_ptr<const Measure> make_bpref(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

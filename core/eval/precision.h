// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (2): p@k.
std::unique_ptr<const Measure> make_precision(std::size_t cutoff, const MeasureOptions&);

/// docs/algorithms/measures.md (3): rprec; `cutoff` is not used.
std::unique_ptr<const Measure> make_r_precision(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "braid/core/eval/measure.h"

namespace braid {

/// docs/algorithms/measures.md (13): err, err@k.
std::unique_ptr<const Measure> make_err(std::size_t cutoff, const MeasureOptions&);

}  // namespace braid

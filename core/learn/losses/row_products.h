// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// A product of a few rows of numbers with the rankers' scores of a pool; not installed.

#include <cstddef>
#include <span>

#include "braid/core/base/export.h"
#include "braid/core/base/lanes.h"

namespace braid {

/// sums (count x width) += F X: F has `count` rows of `documents` numbers, `stride` apart, X is
/// `rows`, documents x width. Each sum runs over the documents in order, so every instruction set
/// gives the same bits.
BRAID_API void add_row_products(const double* factors, std::size_t stride, std::size_t count,
                                std::span<const double> rows, std::size_t width, double* sums,
                                InstructionSet set = InstructionSet::kBest);

}  // namespace braid

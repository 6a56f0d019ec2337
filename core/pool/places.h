// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// Where some documents stand in a ranking that is never made; not installed.

#include <cstdint>
#include <span>

#include "braid/core/base/export.h"

namespace braid {

/// `places[i]` becomes the number of documents before `documents[i]` when all are ordered by
/// score, the greatest first, and equal scores by `ties`, the least first. O(n log P) for P
/// documents of n. Scores aren't NaN.
BRAID_API void places_of(std::span<const std::uint32_t> documents, std::span<const double> scores,
                         std::span<const std::uint32_t> ties, std::span<std::uint32_t> places);

}  // namespace braid

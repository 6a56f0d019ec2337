// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The inner loop of assigning vectors to clusters; not installed.

#include <cstddef>

#include "braid/core/base/export.h"
#include "braid/core/base/lanes.h"

namespace braid {

/// Centroids that go through the registers side by side, and vectors that go with them.
inline constexpr std::size_t kCentroidPanel = 16;
inline constexpr std::size_t kVectorTile = 4;

/// dots[v * kCentroidPanel + c] = vectors[v] . (centroid c of the panel), for kVectorTile vectors.
/// panel[i * kCentroidPanel + c] is component i of centroid c. Lanes run across centroids and never
/// along a sum, so every instruction set gives the same bits.
using CentroidKernel = void (*)(std::size_t dimensions, const float* const* vectors,
                                const float* panel, float* dots);

BRAID_API CentroidKernel centroid_kernel(InstructionSet set);

}  // namespace braid
